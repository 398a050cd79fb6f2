// R07: a command on a terminal that ends at once must not lose its last text.
#include "report.h"

namespace outpost {

TEST_F(Report, R07AShortCommandOnATerminalKeepsItsText) {
  constexpr int runs = 500, batch = 20;
  for (int first = 0; first < runs; first += batch) {
    for (int i = first; i < first + batch; ++i) {
      client.start(std::to_string(i), {"/usr/bin/printf", "end-" + std::to_string(i)}, {.tty = true});
    }
    for (int i = first; i < first + batch; ++i) {
      ASSERT_EQ(client.wait_closed(std::to_string(i)).pty, "end-" + std::to_string(i));
    }
  }
}

}  // namespace outpost
