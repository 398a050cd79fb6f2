// R03: a command that leaves a daemon holding its stdout must be seen to exit all the same.
#include "report.h"

namespace outpost {

TEST_F(Report, R03ExitDoesNotWaitForADaemonThatHoldsStdout) {
  client.shell("p", "setsid sleep 1000 & echo $!");
  ASSERT_TRUE(client.wait_until([&] { return client.followed("p").exit_code.has_value(); }));
  const auto& process = client.followed("p");
  EXPECT_EQ(process.exit_code, 0);
  EXPECT_FALSE(process.closed);
  // Only the end of the daemon closes the stream.
  ::kill(static_cast<pid_t>(std::stol(process.out)), SIGKILL);
  EXPECT_TRUE(client.wait_closed("p").closed);
}

}  // namespace outpost
