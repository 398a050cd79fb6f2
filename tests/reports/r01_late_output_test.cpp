// R01: a shell ends while a child of it still writes; what that says late must not vanish.
#include "report.h"

namespace outpost {

TEST_F(Report, R01LateOutputOfAChildComesBehindTheExit) {
  const auto& process = client.run_shell("p", "(sleep 1; echo late) & echo early; exit 3");
  EXPECT_EQ(process.events, (Texts{"output stdout", "exited 3", "output stdout", "closed"}));
  EXPECT_EQ(process.out, "early\nlate\n");
}

}  // namespace outpost
