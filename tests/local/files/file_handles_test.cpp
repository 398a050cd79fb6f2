#include <sys/mount.h>
#include <sys/resource.h>

#include <limits>

#include "base/limits/file_reads.h"
#include "local/files/file_client_fixture.h"

namespace outpost::local {
namespace {

using namespace testing;

class FileHandles : public LocalFileClientTest {};

TEST_F(FileHandles, BlocksOfAFileThatIsOpen) {
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

TEST_F(FileHandles, BlocksThatAreWritten) {
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

TEST_F(FileHandles, AnUpdateReadsAndWritesAndKeepsWhatIsThere) {
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

TEST_F(FileHandles, AnAtomicHandleReplacesAtItsCloseOrNever) {
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

TEST_F(FileHandles, OptionsThatDoNotFitTheModeAreRefused) {
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

TEST_F(FileHandles, HandlesAreBoundAndCheckedInOrder) {
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

TEST_F(FileHandles, OpensRegularFilesOnly) {
  folder("folder");
  fifo("fifo");
  expect_failed(open("h", "folder"), ErrorKind::invalid_input, "is not a file");
  expect_failed(open("h", "fifo"), ErrorKind::invalid_input, "is not a file");
  expect_os_error(open("h", "folder", wire::OpenMode::replace), ErrorKind::io, 21);
  expect_os_error(open("h", "fifo", wire::OpenMode::replace), ErrorKind::io, 6);
  expect_os_error(open("h", "no/such", wire::OpenMode::replace), ErrorKind::not_found, 2);
}

TEST_F(FileHandles, TooManyOpenFilesAreAnError) {
  put("file", "x");
  // What a sanitizer looks up on the way takes descriptors, the first time.
  ASSERT_TRUE(open("before", "file"));
  EXPECT_FALSE(open("missing", "none"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto opened = open("h", "file");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  expect_os_error(opened, ErrorKind::io, 24);
}

TEST_F(FileHandles, ABlockThatIsGivenUpLeavesItsHandleOpen) {
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

}  // namespace
}  // namespace outpost::local
