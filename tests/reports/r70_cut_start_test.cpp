// R70: a start whose connection is cut while it is under way must not leave its id stuck: the process belongs to the
// session and is found, and ended, by its id.
#include "resumed.h"

namespace outpost {

TEST_F(ResumeReport, R70ACutStartLeavesNoIdStuck) {
  for (int i = 0; i < 40; ++i) {
    const std::string id = "p" + std::to_string(i);
    client->request("process/start", client->start_params(id, {"/bin/sleep", "1000"}));
    // Some are cut before the start is read, some while it is under way, some behind it.
    for (int spins = 0; spins < i * 2000; ++spins) asm volatile("");
    cut();
    resume();
    const bool running = terminate(id);
    // Terminate waits for a start that is under way: afterwards the process is ended, or it never was.
    wire::ReadParams params;
    params.process_id = id;
    params.wait_ms = 3'600'000;
    const auto state = client->call<wire::ReadResult>("process/read", params);
    EXPECT_EQ(state.has_value(), running) << id;
    if (state) {
      EXPECT_EQ(state->exit_code.value_or(0), 137) << id;
    } else {
      EXPECT_EQ(state.error().message, "unknown process id " + id);
      client->start(id, {"/bin/true"});
    }
  }
}

}  // namespace outpost
