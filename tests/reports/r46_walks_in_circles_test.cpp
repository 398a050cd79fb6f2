// R46: walks loop through links or hang on FIFOs.
#include <set>

#include "file_report.h"

namespace outpost {

TEST_F(FileReport, R46AWalkListsEachEntryOnce) {
  put("a/file", "x");
  std::filesystem::create_symlink("..", path("a/loop"));
  ASSERT_EQ(::mkfifo(path("a/fifo").c_str(), 0600), 0);
  for (const bool follow : {false, true}) {
    wire::WalkParams params;
    params.path = {wire::uri_from_path(folder)};
    params.options.max_depth = 64;
    params.options.max_directories = 100;
    params.options.max_entries = 1000;
    params.options.follow_directory_symlinks = follow;
    const auto walked = client.call<wire::WalkResult>("fs/walk", params);
    ASSERT_TRUE(walked) << walked.error().message;
    std::set<std::string> paths;
    for (const auto& entry : walked->entries) EXPECT_TRUE(paths.insert(entry.path.text).second) << entry.path.text;
    EXPECT_EQ(paths.size(), follow ? 3u : 2u);
    EXPECT_FALSE(walked->truncated);
  }
}

}  // namespace outpost
