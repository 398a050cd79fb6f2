#include "local/files/local_file_system.h"

#include <sys/mount.h>
#include <sys/resource.h>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits/file_reads.h"
#include "base/run_until.h"
#include "local/files/files_fixture.h"
#include "wire/path_uri.h"

namespace outpost::local {
namespace {

using namespace testing;
using capability::FileAnswer;
using capability::FileRequest;

class LocalFileClientTest : public FilesTest {
 protected:
  LocalFileClientTest() { connect(); }
  void connect() {
    client_ = files_.connect([this](std::uint64_t watch_id) { changed_.push_back(watch_id); });
  }
  wire::PathUri uri(const std::string& name) const { return {wire::uri_from_path(path(name))}; }
  Result<FileAnswer> ask(FileRequest request) {
    std::optional<Result<FileAnswer>> answer;
    client_->call(std::move(request), stop_.get_token(), [&](Result<FileAnswer> given) { answer = std::move(given); });
    EXPECT_TRUE(::outpost::testing::run_until(loop_, [&] { return answer.has_value(); }));
    return answer ? *std::move(answer) : fail(ErrorKind::internal, "no answer");
  }
  template <class T>
  T get_answer(FileRequest request) {
    auto answer = ask(std::move(request));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? std::get<T>(*std::move(answer)) : T{};
  }
  static std::string text_of(const Bytes& bytes) { return std::string(as_text(bytes.view())); }

  Result<FileAnswer> open(const std::string& id, const std::string& name, wire::OpenMode mode = wire::OpenMode::read,
                          wire::WriteExtension extension = {}, bool given = false) {
    wire::OpenParams params;
    params.handle_id = id;
    params.path = uri(name);
    params.mode = mode;
    params.outpost = {.given = given, .members = extension};
    return ask(std::move(params));
  }
  Result<FileAnswer> read(const std::string& id, std::uint64_t offset, std::uint64_t bytes) {
    return ask(wire::ReadBlockParams{.handle_id = id, .offset = offset, .len = bytes, .outpost = {}});
  }
  Result<FileAnswer> write(const std::string& id, std::uint64_t offset, std::string_view text) {
    wire::WriteBlockParams params;
    params.handle_id = id;
    params.offset = offset;
    params.chunk.bytes = Bytes::copy_of(as_bytes(text));
    return ask(std::move(params));
  }
  Result<FileAnswer> close(const std::string& id, std::optional<bool> discard = {}) {
    wire::CloseParams params;
    params.handle_id = id;
    params.outpost.members.discard = discard;
    return ask(std::move(params));
  }
  std::string block(const std::string& id, std::uint64_t offset, std::uint64_t bytes, bool eof) {
    auto answer = read(id, offset, bytes);
    if (!answer) return answer.error().message;
    auto found = std::get<capability::FileBlock>(*std::move(answer));
    EXPECT_EQ(found.eof, eof) << offset;
    return text_of(found.bytes);
  }

  Loop loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{loop_.context().get_executor()};
  WorkerPool pool_{4};
  LocalFileSystem files_{loop_, pool_};
  std::vector<std::uint64_t> changed_;
  std::unique_ptr<capability::FileClient> client_;
};

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

TEST_F(LocalFileClientTest, BlocksOfAFileThatIsOpen) {
  put("file", "abcdef");
  expect_done(open("", "file"));
  EXPECT_EQ(block("", 0, 4, false), "abcd");
  EXPECT_EQ(block("", 4, 2, false), "ef") << "a block that ends at the end isn't the last";
  EXPECT_EQ(block("", 6, 1, true), "");
  EXPECT_EQ(block("", 4, 4, true), "ef");
  EXPECT_EQ(block("", std::numeric_limits<std::int64_t>::max(), 4, true), "");
  fs::rename(path("file"), path("moved"));
  put("file", "another");
  EXPECT_EQ(block("", 0, 1, false), "a") << "the handle stays with what was opened";
  expect_os_error(write("", 0, "x"), ErrorKind::io, 9);
  expect_failed(read("", 0, 0), ErrorKind::invalid_input, "file read block length must be between 1 and 1048576");
  expect_failed(read("", 0, limits::file_block_bytes_max + 1), ErrorKind::invalid_input, "between 1 and 1048576");
  EXPECT_EQ(block("", 0, limits::file_block_bytes_max, true), "abcdef") << "checks of arguments don't close it";
  expect_os_error(read("", std::uint64_t{1} << 63, 1), ErrorKind::invalid_input, 22);
  expect_failed(read("", 0, 1), ErrorKind::not_found, "unknown file handle ``");
}

TEST_F(LocalFileClientTest, BlocksThatAreWritten) {
  expect_done(open("h", "file", wire::OpenMode::replace));
  EXPECT_TRUE(there("file"));
  expect_done(write("h", 4, "ef"));
  expect_done(write("h", 0, "ab"));
  EXPECT_EQ(get("file"), std::string("ab\0\0ef", 6));
  expect_failed(write("h", 0, ""), ErrorKind::invalid_input, "file write block length must be between 1 and 1048576");
  expect_failed(write("h", 0, std::string(limits::file_block_bytes_max + 1, 'x')), ErrorKind::invalid_input,
                "between 1 and 1048576");
  expect_failed(write("h", std::numeric_limits<std::int64_t>::max(), "x"), ErrorKind::invalid_input,
                "file write range exceeds the signed 64-bit file offset limit");
  expect_done(write("h", 6, "g"));
  expect_os_error(read("h", 0, 1), ErrorKind::io, 9);
  expect_failed(write("h", 0, "x"), ErrorKind::not_found, "unknown file handle `h`");
  expect_done(close("h"));
  expect_done(close("never opened"));
}

TEST_F(LocalFileClientTest, AnUpdateReadsAndWritesAndKeepsWhatIsThere) {
  put("file", "abcdef");
  const auto opened = open("h", "file", wire::OpenMode::update, {}, true);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(std::get<wire::OpenResult>(*opened).outpost->size, 6u);
  expect_done(write("h", 2, "XY"));
  EXPECT_EQ(block("h", 0, 10, true), "abXYef");
  expect_done(close("h"));
  expect_done(open("new", "made", wire::OpenMode::update));
  EXPECT_TRUE(there("made"));
}

TEST_F(LocalFileClientTest, AnAtomicHandleReplacesAtItsCloseOrNever) {
  put("file", "old", 0755);
  const wire::WriteExtension atomic{.atomic = true, .exclusive = {}, .mode = {}, .fsync = true};
  expect_done(open("h", "file", wire::OpenMode::replace, atomic, true));
  expect_done(write("h", 0, "new"));
  EXPECT_EQ(get("file"), "old");
  expect_done(close("h"));
  EXPECT_EQ(get("file"), "new");
  EXPECT_EQ(mode("file"), 0755u);
  expect_done(open("h", "file", wire::OpenMode::replace, atomic, true));
  expect_done(write("h", 0, "newer"));
  expect_done(close("h", true));
  expect_done(open("h", "file", wire::OpenMode::replace, atomic, true));
  expect_done(write("h", 0, "newest"));
  client_.reset();
  EXPECT_EQ(get("file"), "new") << "discarded, and dropped with its connection";
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  connect();
}

TEST_F(LocalFileClientTest, OptionsThatDoNotFitTheModeAreRefused) {
  put("file", "x");
  const wire::WriteExtension atomic{.atomic = true, .exclusive = {}, .mode = {}, .fsync = {}};
  const wire::WriteExtension mode{.atomic = {}, .exclusive = {}, .mode = wire::FileMode(0600), .fsync = {}};
  expect_failed(open("h", "file", wire::OpenMode::read, atomic, true), ErrorKind::invalid_params,
                "outpost.atomic needs mode replace or update");
  expect_failed(open("h", "file", wire::OpenMode::read, mode, true), ErrorKind::invalid_params,
                "outpost.mode needs mode replace or update");
  expect_failed(open("h", "file", wire::OpenMode::update, atomic, true), ErrorKind::invalid_params,
                "outpost.atomic needs mode replace");
}

TEST_F(LocalFileClientTest, HandlesAreBoundAndCheckedInOrder) {
  put("file", "x");
  expect_failed(open(std::string(33, 'h'), "file"), ErrorKind::invalid_input,
                "file handle ID must not exceed 32 bytes");
  for (auto& answer :
       {read(std::string(33, 'h'), 0, 1), write(std::string(33, 'h'), 0, "x"), close(std::string(33, 'h'))}) {
    expect_failed(answer, ErrorKind::invalid_input, "file handle ID must not exceed 32 bytes");
  }
  for (std::size_t i = 0; i < limits::file_handles_max; ++i) expect_done(open(std::to_string(i), "file"));
  expect_failed(open("0", "file"), ErrorKind::invalid_input, "file handle `0` already exists");
  put("other", "kept");
  expect_failed(open("one more", "other", wire::OpenMode::replace), ErrorKind::limit_reached,
                "at most 128 file handles may be open per connection");
  EXPECT_EQ(get("other"), "kept");
  expect_done(close("0"));
  expect_os_error(open("0", "missing"), ErrorKind::not_found, 2);
  expect_done(open(std::string(32, 'h'), "file"));
}

TEST_F(LocalFileClientTest, OpensRegularFilesOnly) {
  folder("folder");
  fifo("fifo");
  expect_failed(open("h", "folder"), ErrorKind::invalid_input, "is not a file");
  expect_failed(open("h", "fifo"), ErrorKind::invalid_input, "is not a file");
  expect_os_error(open("h", "folder", wire::OpenMode::replace), ErrorKind::io, 21);
  expect_os_error(open("h", "fifo", wire::OpenMode::replace), ErrorKind::io, 6);
  expect_os_error(open("h", "no/such", wire::OpenMode::replace), ErrorKind::not_found, 2);
}

TEST_F(LocalFileClientTest, TooManyOpenFilesAreAnError) {
  put("file", "x");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto opened = open("h", "file");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  expect_os_error(opened, ErrorKind::io, 24);
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

TEST_F(LocalFileClientTest, ABlockThatIsGivenUpLeavesItsHandleOpen) {
  EXPECT_IN_OWN_MOUNTS([this] {
    // Without mounts that are known nothing is done on the loop.
    if (::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) return std::string(not_permitted) + std::strerror(errno);
    Loop loop;
    WorkerPool pool(1);
    LocalFileSystem files(loop, pool);
    const auto client = files.connect([](std::uint64_t) {});
    put("file", "abc");
    const auto ask_there = [&](FileRequest request, std::stop_token stop) {
      std::optional<Result<FileAnswer>> answer;
      client->call(std::move(request), std::move(stop), [&](Result<FileAnswer> given) { answer = std::move(given); });
      (void)::outpost::testing::run_until(loop, [&] { return answer.has_value(); });
      return *std::move(answer);
    };
    wire::OpenParams open;
    open.handle_id = "h";
    open.path = uri("file");
    if (auto opened = ask_there(std::move(open), {}); !opened) return opened.error().message;
    const auto read = [] { return wire::ReadBlockParams{.handle_id = "h", .offset = 0, .len = 3, .outpost = {}}; };
    std::stop_source stop;
    stop.request_stop();
    if (ask_there(read(), stop.get_token())) return std::string("it was read");
    const auto again = ask_there(read(), {});
    return again ? std::string() : again.error().message;
  });
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
