#include "local/files/walk.h"

#include <string>
#include <vector>

#include "base/limits/file_reads.h"
#include "local/files/files_fixture.h"
#include "wire/path_uri.h"

namespace outpost::local {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

class WalkTest : public FilesTest {
 protected:
  WalkTest() : FilesTest(quick_parent()) {}
  static wire::WalkOptions options() {
    return {.max_depth = 64,
            .max_directories = 10000,
            .max_entries = 50000,
            .follow_directory_symlinks = false,
            .prune_hidden_directories = {}};
  }
  wire::WalkResult of(const wire::WalkOptions& how, const std::string& name = "") {
    auto result = walk(name.empty() ? folder_ : path(name), how, stop_.get_token());
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? *std::move(result) : wire::WalkResult{};
  }
  /// Relative to the folder of the test, `/` behind folders.
  Texts listed(const wire::WalkResult& result) const {
    const std::string before = wire::uri_from_path(folder_) + "/";
    Texts names;
    for (const auto& entry : result.entries) {
      EXPECT_TRUE(entry.path.text.starts_with(before)) << entry.path.text;
      names.push_back(entry.path.text.substr(before.size()) + (entry.kind == wire::WalkKind::directory ? "/" : ""));
    }
    return names;
  }
};

TEST_F(WalkTest, BreadthFirstAndSortedByBytes) {
  put("b/2");
  put("b/1");
  put("a/x/deep");
  put("B");
  put("c");
  const auto result = of(options());
  EXPECT_EQ(listed(result), (Texts{"B", "a/", "b/", "c", "a/x/", "b/1", "b/2", "a/x/deep"}));
  EXPECT_FALSE(result.truncated);
  EXPECT_TRUE(result.errors.empty());
}

TEST_F(WalkTest, LinksAndSpecialFilesAreSkipped) {
  put("folder/file");
  link("folder", "to-folder");
  link("folder/file", "to-file");
  link("nowhere", "dangling");
  fifo("fifo");
  EXPECT_EQ(listed(of(options())), (Texts{"folder/", "folder/file"}));
}

TEST_F(WalkTest, FollowedLinksAreFoldersEachRealOneOnce) {
  put("real/file");
  link("real", "again");
  link("..", "real/up");
  link("real/file", "to-file");
  auto how = options();
  how.follow_directory_symlinks = true;
  EXPECT_EQ(listed(of(how)), (Texts{"again/", "real/", "again/file", "again/up/"}));
}

TEST_F(WalkTest, ADepthIsNoTruncationAFolderTooManyIs) {
  put("a/b/c/d");
  auto how = options();
  how.max_depth = 1;
  auto result = of(how);
  EXPECT_EQ(listed(result), (Texts{"a/", "a/b/"}));
  EXPECT_FALSE(result.truncated);
  how = options();
  how.max_directories = 2;
  put("z/y");
  result = of(how);
  EXPECT_EQ(listed(result), (Texts{"a/", "z/", "a/b/"}));
  EXPECT_TRUE(result.truncated);
}

TEST_F(WalkTest, AsManyEntriesAsAllowedAreNoTruncationOneMoreIs) {
  for (const char* name : {"5", "3", "1", "4", "2"}) put(name);
  auto how = options();
  how.max_entries = 5;
  EXPECT_FALSE(of(how).truncated);
  how.max_entries = 4;
  const auto result = of(how);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(listed(result), (Texts{"1", "2", "3", "4"}));
}

TEST_F(WalkTest, LimitsHaveRanges) {
  const std::string zero = "filesystem walk limits must be greater than zero";
  const std::string large = "filesystem walk limits exceed maximums: depth=64, directories=10000, entries=50000";
  const auto refused = [&](auto change, const std::string& text) {
    auto how = options();
    change(how);
    expect_failed(walk(folder_, how, {}), ErrorKind::invalid_input, text);
  };
  refused([](auto& how) { how.max_directories = 0; }, zero);
  refused([](auto& how) { how.max_entries = 0; }, zero);
  refused([](auto& how) { how.max_depth = 65; }, large);
  refused([](auto& how) { how.max_directories = 10001; }, large);
  refused([](auto& how) { how.max_entries = 50001; }, large);
}

TEST_F(WalkTest, HiddenFoldersAreListedButNotOpenedOnRequest) {
  put(".hidden/file");
  put(".file");
  auto how = options();
  EXPECT_EQ(listed(of(how)), (Texts{".file", ".hidden/", ".hidden/file"}));
  how.prune_hidden_directories = true;
  EXPECT_EQ(listed(of(how)), (Texts{".file", ".hidden/"}));
}

TEST_F(WalkTest, OfWhatIsNoFolder) {
  put("file");
  folder("folder");
  link("folder", "link");
  link("loop", "loop");
  EXPECT_TRUE(of(options(), "file").entries.empty());
  EXPECT_TRUE(of(options(), "link").entries.empty());
  EXPECT_TRUE(of(options(), "loop").entries.empty());
  expect_os_error(walk(path("missing"), options(), {}), ErrorKind::not_found, 2);
}

TEST_F(WalkTest, TheAnswerIsBound) {
  const std::string long_name(200, 'n');
  std::string deep;
  for (int i = 0; i < 8; ++i) deep += long_name + "/";
  for (int i = 0; i < 2600; ++i) put(deep + std::to_string(i));
  const auto result = of(options());
  EXPECT_TRUE(result.truncated);
  std::size_t bytes = 0;
  for (const auto& entry : result.entries) bytes += entry.path.text.size() + limits::walk_item_bytes;
  EXPECT_LE(bytes, limits::walk_answer_bytes_max);
  EXPECT_GT(bytes, limits::walk_answer_bytes_max - 2048);
}

TEST_F(WalkTest, AStopEndsIt) {
  put("a");
  stop_.request_stop();
  expect_failed(walk(folder_, options(), stop_.get_token()), ErrorKind::cancelled, "request cancelled");
}

}  // namespace
}  // namespace outpost::local
