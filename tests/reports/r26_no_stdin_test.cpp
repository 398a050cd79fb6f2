// R26: without a stdin the output must not end early.
#include "report.h"

namespace outpost {

TEST_F(Report, R26AbsentStdinChangesNothingForOutput) {
  const auto& process = client.run_shell("p", "echo a; sleep 1; echo b");
  EXPECT_EQ(process.out, "a\nb\n");
  EXPECT_EQ(process.exit_code, 0);
}

}  // namespace outpost
