// R32: what a terminated command has left running must not write into the next one's files.
#include "report.h"

namespace outpost {

TEST_F(Report, R32TerminateEndsWhatLeftTheGroup) {
  client.shell("p", "(setsid bash -c 'echo $$; exec sleep 1000' &) ; sleep 60");
  client.wait_until([&] { return client.followed("p").out.ends_with("\n"); });
  const auto fugitive = testing::open_process(static_cast<pid_t>(std::stol(client.followed("p").out)));
  client.ask("process/terminate", R"({"processId":"p"})");
  client.wait_closed("p");
  EXPECT_TRUE(testing::wait_for_death(fugitive));
}

}  // namespace outpost
