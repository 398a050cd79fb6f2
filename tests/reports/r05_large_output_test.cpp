// R05: large, fast output must come whole, and in order, before the close.
#include "report.h"

namespace outpost {

TEST_F(Report, R05LargeOutputComesWhole) {
  std::string numbers;
  for (int i = 1; i <= 2'000'000; ++i) numbers += std::to_string(i) + "\n";
  for (int run = 0; run < 5; ++run) {
    const auto& process = client.run_shell("p" + std::to_string(run), "seq 1 2000000");
    EXPECT_TRUE(process.out == numbers) << run << ": " << process.out.size() << " of " << numbers.size();
    EXPECT_EQ(process.exit_code, 0);
  }
}

}  // namespace outpost
