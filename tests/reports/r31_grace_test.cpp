// R31: programs want to clean up before they are killed.
#include "report.h"

namespace outpost {

TEST_F(Report, R31TerminateWithGraceLetsAProgramCleanUp) {
  client.shell("p", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.1; done");
  client.wait_until([&] { return client.followed("p").out == "ready\n"; });
  client.ask("process/terminate", R"({"processId":"p","outpost":{"graceMs":60000}})");
  EXPECT_EQ(client.wait_closed("p").exit_code, 7);
  EXPECT_EQ(client.followed("p").out, "ready\nbye\n");
}

TEST_F(Report, R31TerminateWithoutGraceKillsAtOnceAsEver) {
  client.shell("p", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.1; done");
  client.wait_until([&] { return client.followed("p").out == "ready\n"; });
  client.ask("process/terminate", R"({"processId":"p"})");
  EXPECT_EQ(client.wait_closed("p").exit_code, 137);
  EXPECT_EQ(client.followed("p").out, "ready\n");
}

}  // namespace outpost
