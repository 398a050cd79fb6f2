// R21: a big paste into a terminal must not deadlock.
#include "report.h"

namespace outpost {

TEST_F(Report, R21ABigPasteIntoATerminalIsEchoedWhole) {
  client.start("p", {"/bin/cat"}, {.tty = true});
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += std::string(79, 'x') + "\n";
  std::size_t echoed = 0;
  client.on_output = [&](const wire::OutputEvent& event) { echoed += event.chunk.bytes.size(); };
  for (int i = 0; i < 30; ++i) EXPECT_EQ(client.write("p", lines, std::to_string(i)), wire::WriteStatus::accepted);
  client.write("p", "\x04", "end");
  client.wait_closed("p");
  // Each line once by the terminal's echo and once by cat, its end as two characters. Of the echo the kernel may drop
  // some when its buffer for it is full.
  constexpr std::size_t all = 2 * 30 * 100 * 81;
  EXPECT_LE(echoed, all);
  EXPECT_GE(echoed, all - 400);
}

}  // namespace outpost
