// R28: a process without a terminal can be interrupted, and its own handler decides.
#include "report.h"

namespace outpost {

TEST_F(Report, R28InterruptReachesTheProcessAndItsHandler) {
  client.shell("p", "trap 'echo got-int; exit 9' INT; echo up; while :; do sleep 0.1; done");
  client.wait_until([&] { return client.followed("p").out == "up\n"; });
  wire::SignalParams params;
  params.process_id = "p";
  EXPECT_TRUE(client.call<wire::EmptyObject>("process/signal", params));
  const auto& process = client.wait_closed("p");
  EXPECT_EQ(process.out, "up\ngot-int\n");
  EXPECT_EQ(process.exit_code, 9);
}

}  // namespace outpost
