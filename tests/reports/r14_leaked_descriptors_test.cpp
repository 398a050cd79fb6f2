// R14: descriptors of the server must not show in children.
#include "report.h"

namespace outpost {

TEST_F(Report, R14ChildrenHaveTheirThreeDescriptorsOnly) {
  for (int i = 0; i < 50; ++i)
    client.start("sleep" + std::to_string(i), {"/bin/sleep", "1000"}, {.pipe_stdin = i % 2 == 0});
  // The fourth is the folder that `ls` itself reads.
  EXPECT_EQ(client.run_shell("p", "exec ls /proc/self/fd").out, "0\n1\n2\n3\n");
  EXPECT_EQ(client.run_shell("q", "exec ls /proc/self/fd", {.pipe_stdin = true}).out, "0\n1\n2\n3\n");
}

}  // namespace outpost
