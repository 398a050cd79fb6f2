// R09: the end of a terminal, which the kernel tells as EIO, is an end and no failure.
#include "report.h"

namespace outpost {

TEST_F(Report, R09TheEndOfATerminalIsNoFailure) {
  client.start("p", {"/bin/echo", "hi"}, {.tty = true});
  const auto& process = client.wait_closed("p");
  EXPECT_EQ(process.events.back(), "closed");
  EXPECT_EQ(process.exit_code, 0);
  EXPECT_NE(client.ask("process/read", R"({"processId":"p"})").find("\"failure\":null"), std::string::npos);
}

}  // namespace outpost
