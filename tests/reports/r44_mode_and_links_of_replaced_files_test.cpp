// R44: atomic replace loses the executable bit or turns a link into a file.
#include "file_report.h"

namespace outpost {

TEST_F(FileReport, R44AnAtomicWriteKeepsTheModeAndWritesThroughLinks) {
  put("s", "old");
  ASSERT_EQ(::chmod(path("s").c_str(), 0755), 0);
  std::filesystem::create_symlink("s", path("l"));
  ASSERT_TRUE(write_file("l", "new", true));
  EXPECT_TRUE(std::filesystem::is_symlink(path("l")));
  EXPECT_EQ(contents("s"), "new");
  struct stat found{};
  ASSERT_EQ(::stat(path("s").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0755u);
}

}  // namespace outpost
