// R63: stdout and stderr come apart.
#include "report.h"

namespace outpost {

TEST_F(Report, R63StreamsComeApart) {
  const auto& process = client.run_shell("p", "echo o; echo e >&2");
  EXPECT_EQ(process.out, "o\n");
  EXPECT_EQ(process.err, "e\n");
  EXPECT_EQ(process.pty, "");
}

}  // namespace outpost
