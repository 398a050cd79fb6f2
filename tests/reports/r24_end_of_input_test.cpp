// R24: there has to be a way to say that the input is at its end.
#include "report.h"

namespace outpost {

TEST_F(Report, R24ClosingStdinLetsItsReaderEnd) {
  client.start("p", {"/usr/bin/wc", "-c"}, {.pipe_stdin = true});
  EXPECT_EQ(client.write("p", "12345", "w"), wire::WriteStatus::accepted);
  wire::CloseStdinParams params;
  params.process_id = "p";
  const auto closed = client.call<wire::WriteResult>("outpost/process/closeStdin", params);
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->status, wire::WriteStatus::accepted);
  EXPECT_EQ(client.wait_closed("p").out, "5\n");
}

}  // namespace outpost
