// R15: ended terminals must not keep descriptors, though what they printed stays readable.
#include <filesystem>

#include "report.h"

namespace outpost {

TEST_F(Report, R15EndedTerminalsHoldNoDescriptors) {
  const auto count = [folder = "/proc/" + std::to_string(server.server_pid()) + "/fd"] {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  };
  // The first start makes what stays: the thread that spawns, its wake-ups.
  client.start("first", {"/bin/echo", "x"}, {.tty = true});
  client.wait_closed("first");
  const auto before = count();
  for (int i = 0; i < 100; ++i) client.start(std::to_string(i), {"/bin/echo", "x"}, {.tty = true});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(client.wait_closed(std::to_string(i)).pty, "x\r\n");
  EXPECT_EQ(count(), before);
}

}  // namespace outpost
