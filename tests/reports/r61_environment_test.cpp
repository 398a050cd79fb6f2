// R61, R62: a command gets exactly the variables and the folder that it was given.
#include <filesystem>

#include "report.h"

namespace outpost {

TEST_F(Report, R61EnvironmentIsExactlyTheGivenOne) {
  client.start("none", {"/usr/bin/env"}, {.env = {}});
  EXPECT_EQ(client.wait_closed("none").out, "");
  client.start("two", {"/usr/bin/env"}, {.env = {{"A", "1"}, {"B", ""}}});
  EXPECT_EQ(client.wait_closed("two").out, "A=1\nB=\n");
}

TEST_F(Report, R62MissingFolderIsAnErrorAndNothingStarts) {
  const std::string mark = ::testing::TempDir() + "r62_" + std::to_string(::getpid());
  auto params = client.start_params("p", {"/usr/bin/touch", mark}, {.cwd = "file:///no/such/dir"});
  const std::string answer = client.answer(client.request("process/start", params));
  EXPECT_NE(answer.find(R"("code":-32603)"), std::string::npos) << answer;
  EXPECT_NE(answer.find("No such file or directory (os error 2)"), std::string::npos) << answer;
  EXPECT_FALSE(std::filesystem::exists(mark));
  // The id is free, and the same start works where there is a folder.
  client.start("p", {"/usr/bin/touch", mark});
  EXPECT_EQ(client.wait_closed("p").exit_code, 0);
  EXPECT_TRUE(std::filesystem::remove(mark));
}

}  // namespace outpost
