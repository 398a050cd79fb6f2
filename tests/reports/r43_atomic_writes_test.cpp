// R43: users cannot tell whether a write is atomic, exclusive or follows links.
#include <atomic>
#include <thread>

#include "file_report.h"

namespace outpost {

TEST_F(FileReport, R43WhoLooksDuringAnAtomicWriteSeesTheOldOrTheNewFile) {
  constexpr std::size_t size = 4 * limits::mib;
  ASSERT_TRUE(write_file("file", std::string(size, 'o')));
  std::atomic<bool> over = false;
  std::atomic<std::size_t> looks = 0, others = 0;
  {
    std::jthread watcher([&] {
      while (!over) {
        struct stat found{};
        if (::stat(path("file").c_str(), &found) != 0 || found.st_size != static_cast<off_t>(size)) ++others;
        ++looks;
      }
    });
    for (int i = 0; i < 12; ++i) EXPECT_TRUE(write_file("file", std::string(size, static_cast<char>('a' + i)), true));
    over = true;
  }
  EXPECT_GT(looks, 0u);
  EXPECT_EQ(others, 0u);
  EXPECT_EQ(contents("file"), std::string(size, 'l'));
}

TEST_F(FileReport, R43AnExclusiveWriteNeverReplaces) {
  put("file", "kept");
  std::filesystem::create_symlink("nowhere", path("dangling"));
  for (const char* name : {"file", "dangling"}) {
    auto params = write_params(name, "x");
    params.outpost.given = true;
    params.outpost.members.exclusive = true;
    const auto written = client.call<wire::EmptyObject>("fs/writeFile", params);
    ASSERT_FALSE(written) << name;
    EXPECT_TRUE(written.error().message.ends_with("(os error 17)")) << written.error().message;
  }
  EXPECT_EQ(contents("file"), "kept");
}

}  // namespace outpost
