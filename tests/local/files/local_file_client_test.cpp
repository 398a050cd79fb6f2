#include <limits>

#include "base/limits/file_reads.h"
#include "local/files/file_client_fixture.h"

namespace outpost::local {
namespace {

using namespace testing;

TEST_F(LocalFileClientTest, ReadsSmallFilesFromWithinAndLargeOnesOnAThread) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, limits::read_here_bytes_max,
                                 limits::read_here_bytes_max + 1, 3 * limits::mib + 1}) {
    const std::string text(size, 'x');
    put("file", text);
    std::optional<std::string> from_within;
    client_->call(
        wire::ReadFileParams{.path = uri("file"), .follow_symlinks = {}, .sandbox = {}, .outpost = {}}, {},
        [&](Result<FileAnswer> answer) { from_within = text_of(std::get<capability::FileContents>(*answer).bytes); });
    EXPECT_EQ(from_within.has_value(), size <= limits::read_here_bytes_max) << size;
    ASSERT_TRUE(::outpost::testing::run_until(loop_, [&] { return from_within.has_value(); }));
    EXPECT_EQ(*from_within, text);
  }
}

TEST_F(LocalFileClientTest, FilesWithoutASizeAreReadToTheirEnd) {
  wire::ReadFileParams params;
  params.path = {"file:///proc/version"};
  EXPECT_TRUE(text_of(get_answer<capability::FileContents>(std::move(params)).bytes).starts_with("Linux version"));
}

TEST_F(LocalFileClientTest, TooLargeAFileIsRefusedByItsSize) {
  put("file");
  fs::resize_file(path("file"), limits::read_file_bytes_max + 1);
  wire::ReadFileParams params;
  params.path = uri("file");
  expect_failed(ask(std::move(params)), ErrorKind::invalid_input,
                "file is too large to read: limit is 536870912 bytes");
}

TEST_F(LocalFileClientTest, ASandboxThatLimitsIsRefusedByNameOneThatDoesNotIsHonoured) {
  put("file", "x");
  wire::ReadFileParams params;
  params.path = uri("file");
  params.sandbox = {.given = true, .limits = true};
  expect_failed(ask(std::move(params)), ErrorKind::sandbox_unavailable,
                "sandbox cannot enforce fileRead here: this server has no sandbox");
  wire::RemoveParams removal;
  removal.path = uri("file");
  removal.sandbox = {.given = true, .limits = true};
  expect_failed(ask(std::move(removal)), ErrorKind::sandbox_unavailable,
                "sandbox cannot enforce fileWrite here: this server has no sandbox");
  wire::ReadFileParams free;
  free.path = uri("file");
  free.sandbox = {.given = true, .limits = false};
  EXPECT_EQ(text_of(get_answer<capability::FileContents>(std::move(free)).bytes), "x");
}

TEST_F(LocalFileClientTest, BadBase64IsToldByTheMethod) {
  wire::WriteFileParams params;
  params.path = uri("file");
  params.data_base64.fault = "Invalid padding";
  expect_failed(ask(std::move(params)), ErrorKind::invalid_input,
                "fs/writeFile requires valid base64 dataBase64: Invalid padding");
  EXPECT_FALSE(there("file"));
}

TEST_F(LocalFileClientTest, NamesOfAnyBytesMakeTheRoundTrip) {
  for (const std::string& name : {std::string("\xff\xfe %#"), std::string("new\nline"), std::string(255, 'n'),
                                  std::string("C:"), std::string("a\\b?"), std::string("\xc3\xa9")}) {
    put(name, "x");
    wire::WalkParams walk;
    walk.path = {wire::uri_from_path(folder_)};
    walk.options = {.max_depth = 0,
                    .max_directories = 1,
                    .max_entries = 10,
                    .follow_directory_symlinks = false,
                    .prune_hidden_directories = {}};
    const auto listed = get_answer<wire::WalkResult>(std::move(walk));
    ASSERT_EQ(listed.entries.size(), 1u) << name;
    wire::ReadDirectoryFullParams full;
    full.path = {wire::uri_from_path(folder_)};
    const auto shown = get_answer<wire::ReadDirectoryFullResult>(std::move(full));
    ASSERT_EQ(shown.entries.size(), 1u);
    EXPECT_EQ(shown.entries[0].uri, listed.entries[0].path);
    wire::ReadFileParams params;
    params.path = listed.entries[0].path;
    EXPECT_EQ(text_of(get_answer<capability::FileContents>(std::move(params)).bytes), "x") << name;
    fs::remove(path(name));
  }
}

TEST_F(LocalFileClientTest, MetadataNeedsSomethingToSet) {
  put("file", "abc");
  wire::SetMetadataParams params;
  params.path = uri("file");
  expect_failed(ask(params), ErrorKind::invalid_params, "mode, modifiedAtMs or size is required");
  params.size = wire::FileOffset(2);
  params.mode = wire::FileMode(0600);
  params.modified_at_ms = -1000;
  expect_done(ask(params));
  EXPECT_EQ(get("file"), "ab");
  EXPECT_EQ(status("file").st_mtim.tv_sec, -1);
}

TEST_F(LocalFileClientTest, WhatIsStoppedAnswersSo) {
  put("file", std::string(2 * limits::mib, 'x'));
  stop_.request_stop();
  wire::DigestParams params;
  params.path = uri("file");
  expect_failed(ask(std::move(params)), ErrorKind::cancelled, "request cancelled");
}

TEST_F(LocalFileClientTest, ALargeFolderIsListedOnAThread) {
  for (std::size_t i = 0; i <= limits::list_here_entries_max; ++i) put(std::to_string(i));
  wire::ReadDirectoryParams params;
  params.path = {wire::uri_from_path(folder_)};
  EXPECT_EQ(get_answer<wire::ReadDirectoryResult>(std::move(params)).entries.size(), limits::list_here_entries_max + 1);
}

TEST_F(LocalFileClientTest, TheEndOfAClientDropsWhatRuns) {
  put("file", std::string(3 * limits::mib, 'x'));
  bool told = false;
  wire::ReadFileParams params;
  params.path = uri("file");
  client_->call(std::move(params), stop_.get_token(), [&](Result<FileAnswer>) { told = true; });
  client_.reset();
  connect();
  wire::DigestParams digest;
  digest.path = uri("file");
  expect_done(ask(std::move(digest)));
  EXPECT_FALSE(told);
}

TEST_F(LocalFileClientTest, WhileItDoesNotFlowNothingBeginsOnAThread) {
  put("file", "x");
  client_->set_flowing(false);
  bool told = false;
  wire::DigestParams digest;
  digest.path = uri("file");
  client_->call(digest, {}, [&](Result<FileAnswer>) { told = true; });
  wire::GetMetadataParams metadata;
  metadata.path = uri("file");
  expect_done(ask(std::move(metadata)));
  loop_.run_ready();
  EXPECT_FALSE(told);
  client_->set_flowing(true);
  EXPECT_TRUE(::outpost::testing::run_until(loop_, [&] { return told; }));
}

TEST_F(LocalFileClientTest, MissingPathsAreWatched) {
  folder("in");
  const auto watch = [&](std::uint64_t id, std::vector<wire::PathUri> missing, std::optional<wire::PathUri> present) {
    return get_answer<wire::WatchMissingResult>(
               wire::WatchMissingParams{
                   .watch_id = id, .missing = std::move(missing), .present = std::move(present), .outpost = {}})
        .watching;
  };
  const auto fired = [&](std::uint64_t id) {
    return ::outpost::testing::run_until(loop_, [&] { return !changed_.empty() && changed_.back() == id; });
  };
  EXPECT_TRUE(watch(1, {uri("in/a/b")}, {}));
  put("in/unrelated");
  folder("in/a");
  EXPECT_TRUE(fired(1));
  EXPECT_FALSE(watch(1, {uri("in/x")}, {})) << "not above the last";
  EXPECT_TRUE(watch(5, {uri("in/x"), uri("y")}, uri("in/unrelated")));
  put("in/unrelated", "changed");
  EXPECT_TRUE(fired(5));
  EXPECT_TRUE(watch(6, {uri("x")}, uri("in")));
  put("in/child");
  EXPECT_TRUE(watch(7, {uri("x")}, {}));
  link("nowhere", "x");
  EXPECT_TRUE(fired(7));
  EXPECT_EQ(changed_, (std::vector<std::uint64_t>{1, 5, 7}));
  link("in", "link");
  const std::vector<std::vector<wire::PathUri>> refused = {{},
                                                           {uri("in")},
                                                           {uri("x")},
                                                           {uri("link/z")},
                                                           {{"file:///proc/none"}},
                                                           {{"file://else/x"}},
                                                           std::vector<wire::PathUri>(65, uri("z"))};
  std::uint64_t id = 10;
  for (const auto& missing : refused) EXPECT_FALSE(watch(++id, missing, {})) << missing.size();
  EXPECT_TRUE(watch(100, std::vector<wire::PathUri>(64, uri("z")), {}));
  EXPECT_FALSE(watch(101, {uri("z")}, uri("not there")));
}

}  // namespace
}  // namespace outpost::local
