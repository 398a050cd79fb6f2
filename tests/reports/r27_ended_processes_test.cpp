// R27: writing to, or interrupting, what isn't there is answered plainly.
#include "report.h"

namespace outpost {

TEST_F(Report, R27EndedAndUnknownProcessesAreAnsweredPlainly) {
  client.start("ended", {"/bin/true"}, {.pipe_stdin = true});
  client.wait_closed("ended");
  for (const std::string id : {"ended", "unknown"}) {
    wire::SignalParams interrupt;
    interrupt.process_id = id;
    EXPECT_TRUE(client.call<wire::EmptyObject>("process/signal", interrupt)) << id;
    wire::TerminateParams terminate;
    terminate.process_id = id;
    const auto terminated = client.call<wire::TerminateResult>("process/terminate", terminate);
    ASSERT_TRUE(terminated) << id;
    EXPECT_FALSE(terminated->running) << id;
  }
  EXPECT_EQ(client.write("unknown", "x", "w"), wire::WriteStatus::unknown_process);
  const auto status = client.write("ended", "x", "w");
  EXPECT_TRUE(status == wire::WriteStatus::accepted || status == wire::WriteStatus::stdin_closed);
  EXPECT_EQ(client.run_shell("p", "echo alive").out, "alive\n");
}

}  // namespace outpost
