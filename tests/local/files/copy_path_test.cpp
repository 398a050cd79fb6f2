#include "local/files/copy_path.h"

#include <atomic>
#include <thread>

#include "files_fixture.h"

namespace outpost::local {
namespace {

using namespace testing;

class CopyPathTest : public FilesTest {
 protected:
  using FilesTest::FilesTest;
  Result<> copy(const std::string& from, const std::string& to, bool recursive = false) const {
    return copy_path(path(from), path(to), recursive, stop_.get_token());
  }
};

TEST_F(CopyPathTest, AFileGoesWithContentsAndModeNotOwnLinksOrTimes) {
  put("a", "hello", 0640);
  put("b", "something longer", 0600);
  const auto before = status("b");
  expect_done(copy("a", "new"));
  expect_done(copy("a", "b"));
  for (const char* name : {"new", "b"}) {
    EXPECT_EQ(get(name), "hello");
    EXPECT_EQ(mode(name), 0640u);
  }
  EXPECT_EQ(status("b").st_ino, before.st_ino) << "overwritten in place";
}

TEST_F(CopyPathTest, TheBitsThatRunAsTheOwnerGoAlong) {
  put("a", "hello", 06755);
  put("b", "x");
  expect_done(copy("a", "new"));
  expect_done(copy("a", "b"));
  EXPECT_EQ(mode("new"), 06755u);
  EXPECT_EQ(mode("b"), 06755u);
}

TEST_F(CopyPathTest, OntoItselfByAnyNameChangesNothing) {
  put("a", "keep");
  link("a", "la");
  folder("d");
  link("../a", "d/deep");
  fs::create_hard_link(path("a"), path("hard"));
  const auto before = status("a");
  for (const char* to : {"a", "la", "hard", "d/deep"}) {
    expect_done(copy("a", to));
    EXPECT_EQ(get("a"), "keep") << to;
    EXPECT_EQ(status("a").st_mtim.tv_nsec, before.st_mtim.tv_nsec) << to;
  }
  EXPECT_TRUE(fs::is_symlink(path("la")));
}

TEST_F(CopyPathTest, ADestinationLinkIsFollowedADanglingOneMakesItsTarget) {
  put("a", "new");
  put("t", "old");
  link("t", "l");
  link("sub/made", "dangling");
  link("dangling2", "to-dangling");
  link("made2", "dangling2");
  folder("sub");
  for (const char* to : {"l", "dangling", "to-dangling"}) {
    expect_done(copy("a", to));
    EXPECT_TRUE(fs::is_symlink(path(to)));
  }
  for (const char* name : {"t", "sub/made", "made2"}) EXPECT_EQ(get(name), "new");
}

TEST_F(CopyPathTest, ALinkIsCopiedAsALinkAndReplacesNothing) {
  put("a", "x");
  link("a", "l");
  link("gone", "dangling");
  folder("d");
  link("d", "ld");
  expect_done(copy("l", "l2"));
  expect_done(copy("dangling", "d2"));
  expect_done(copy("ld", "ld2", true));
  EXPECT_EQ(fs::read_symlink(path("l2")), "a");
  EXPECT_EQ(fs::read_symlink(path("d2")), "gone");
  EXPECT_EQ(fs::read_symlink(path("ld2")), "d");
  expect_os_error(copy("l", "a"), ErrorKind::io, EEXIST);
  expect_os_error(copy("l", "l2"), ErrorKind::io, EEXIST);
  EXPECT_EQ(get("a"), "x");
}

TEST_F(CopyPathTest, AFolderIsMergedAndSpecialFilesAreLeftOut) {
  put("d/f", "1");
  put("d/s/g", "2", 0755);
  link("f", "d/l");
  fifo("d/ff");
  put("x/y/other", "o");
  put("x/y/f", "old");
  expect_done(copy("d", "p/q/r", true));
  EXPECT_EQ(names("p/q/r"), (std::vector<std::string>{"f", "l", "s"}));
  EXPECT_EQ(get("p/q/r/s/g"), "2");
  EXPECT_EQ(mode("p/q/r/s/g"), 0755u);
  EXPECT_EQ(fs::read_symlink(path("p/q/r/l")), "f");
  fs::remove(path("d/l"));
  expect_done(copy("d", "x/y", true));
  EXPECT_EQ(names("x/y"), (std::vector<std::string>{"f", "other", "s"}));
  EXPECT_EQ(get("x/y/f"), "1");
}

// As the reference does it: links that are there in the destination are followed, unless a link is to be put there.
TEST_F(CopyPathTest, LinksInTheDestinationOfAFolder) {
  put("d/f", "new");
  put("d/s/g", "2");
  put("t", "old");
  folder("elsewhere");
  folder("x");
  link("../t", "x/f");
  link("../elsewhere", "x/s");
  expect_done(copy("d", "x", true));
  EXPECT_EQ(get("t"), "new");
  EXPECT_EQ(get("elsewhere/g"), "2");
  link("f", "d/zz");
  link("f", "x/zz");
  expect_os_error(copy("d", "x", true), ErrorKind::io, EEXIST);
  link("nowhere", "dangling");
  expect_os_error(copy("d", "dangling", true), ErrorKind::io, EEXIST);
}

TEST_F(CopyPathTest, Errors) {
  put("a", "x");
  put("d/f");
  fifo("ff");
  expect_failed(copy("d", "e"), ErrorKind::invalid_input,
                "fs/copy requires recursive: true when sourcePath is a directory");
  expect_failed(copy("ff", "e"), ErrorKind::invalid_input,
                "fs/copy only supports regular files, directories, and symlinks");
  expect_failed(copy_path("/dev/null", path("e"), true, {}), ErrorKind::invalid_input,
                "fs/copy only supports regular files, directories, and symlinks");
  expect_os_error(copy("zz", "e"), ErrorKind::not_found, ENOENT);
  expect_os_error(copy("a", "no/such"), ErrorKind::not_found, ENOENT);
  expect_os_error(copy("a", "d"), ErrorKind::io, EISDIR);
  expect_os_error(copy_path(path("a"), "/", false, {}), ErrorKind::io, EISDIR);
  expect_os_error(copy("d", "a", true), ErrorKind::io, EEXIST);
  expect_os_error(copy("d", "a/x", true), ErrorKind::io, ENOTDIR);
  expect_os_error(copy("a", "ff"), ErrorKind::io, ENXIO);
  expect_os_error(copy("a", "a/x"), ErrorKind::io, ENOTDIR);
  expect_os_error(copy("a", std::string(256, 'n')), ErrorKind::io, ENAMETOOLONG);
  put("x/s", "a file");
  put("d2/s/g");
  expect_os_error(copy("d2", "x", true), ErrorKind::io, EEXIST);
  folder("x2/f");
  expect_os_error(copy("d", "x2", true), ErrorKind::io, EISDIR);
}

TEST_F(CopyPathTest, AFolderNeverGoesIntoItself) {
  put("d/s/f", "x");
  link("d", "ld");
  link("d/s", "ls");
  for (const char* to : {"d", "d/n", "d/n/m", "d/s", "ld", "ld/n", "ls/n", "ls"}) {
    expect_failed(copy("d", to, true), ErrorKind::invalid_input,
                  "fs/copy cannot copy a directory to itself or one of its descendants");
  }
  EXPECT_EQ(names("d"), std::vector<std::string>{"s"});
  folder("x");
  link("../d/s", "x/s");
  expect_failed(copy("d", "x", true), ErrorKind::invalid_input,
                "fs/copy cannot copy a directory to itself or one of its descendants");
  // A sibling whose name begins alike is no descendant.
  expect_done(copy("d", "d2", true));
  expect_failed(copy_path("/", path("n"), true, {}), ErrorKind::invalid_input,
                "fs/copy cannot copy a directory to itself or one of its descendants");
}

TEST_F(CopyPathTest, FilesOfTheKernelAreReadToTheirEnd) {
  expect_done(copy_path("/proc/self/mountinfo", path("p"), false, {}));
  EXPECT_EQ(get("p"), contents("/proc/self/mountinfo"));
  const std::string sys = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (fs::exists(sys)) {
    expect_done(copy_path(sys, path("s"), false, {}));
    EXPECT_EQ(get("s"), contents(sys));
  }
}

TEST_F(CopyPathTest, DevicesAreWritten) {
  put("a", "x");
  expect_done(copy_path(path("a"), "/dev/null", false, {}));
  expect_os_error(copy_path(path("a"), "/dev/full", false, {}), ErrorKind::io, ENOSPC);
}

TEST_F(CopyPathTest, HolesAreKeptInFilesOfAnySize) {
  constexpr std::uint64_t size = 10'000'000'000;
  const os::FileDescriptor file(::open(path("a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(size)), 0);
  ASSERT_EQ(::pwrite(file.get(), "middle", 6, 5'000'000'000), 6);
  for (const char* to : {"b", "b"}) {
    expect_done(copy("a", to));
    EXPECT_EQ(static_cast<std::uint64_t>(status(to).st_size), size);
    EXPECT_LT(status(to).st_blocks * 512, 10'000'000);
    const os::FileDescriptor made(::open(path(to).c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 8> part{};
    ASSERT_EQ(::pread(made.get(), part.data(), 8, 4'999'999'999), 8);
    EXPECT_EQ(std::string(part.data(), 8), std::string("\0middle\0", 8));
  }
}

TEST_F(CopyPathTest, BigContentsAreEqual) {
  std::string lines;
  for (int i = 0; lines.size() < 10'000'000; ++i) lines += "line " + std::to_string(i) + "\r\n";
  put("a", lines);
  expect_done(copy("a", "b"));
  EXPECT_TRUE(get("b") == lines);
  // Another file system: no blocks to share, and the kernel may refuse to copy between the two.
  if (const std::string other = "/dev/shm/" + fs::path(folder_).filename().string(); ::access("/dev/shm", W_OK) == 0) {
    expect_done(copy_path(path("a"), other, false, {}));
    EXPECT_TRUE(contents(other) == lines);
    fs::remove(other);
  }
}

TEST_F(CopyPathTest, NamesOfAnyBytesAndLengths) {
  for (const std::string& name : {std::string("\xff\xfe"), std::string("new\nline"), std::string(255, 'n')}) {
    put("d/" + name, name);
  }
  expect_done(copy("d", "e", true));
  EXPECT_EQ(names("e"), names("d"));
}

TEST_F(CopyPathTest, AFullDiskIsToldAndNoHalfFileIsLeft) {
  put("big", std::string(400'000, 'x'));
  folder("m");
  EXPECT_IN_OWN_MOUNTS([&]() -> std::string {
    if (auto told = mount_full_tmpfs(path("m"), "size=256k"); !told.empty()) return told;
    if (auto told = unlike_os_error(copy("big", "m/new"), ENOSPC); !told.empty()) return told;
    if (there("m/new")) return "a half file was left";
    std::ofstream(path("m/old")) << "what it had";
    ::chmod(path("m/old").c_str(), 0600);
    if (auto told = unlike_os_error(copy("big", "m/old"), ENOSPC); !told.empty()) return told;
    if (get("m/old") != "what it had" || mode("m/old") != 0600) return "the old file was lost: " + get("m/old");
    fs::create_symlink("dangling-target", path("m/l"));
    if (auto told = unlike_os_error(copy("big", "m/l"), ENOSPC); !told.empty()) return told;
    return there("m/dangling-target") ? "a half file was left behind the link" : "";
  });
}

TEST_F(CopyPathTest, AReadOnlyDestinationIsTold) {
  put("a", "x");
  put("d/f", "kept");
  EXPECT_IN_OWN_MOUNTS([&]() -> std::string {
    if (::mount(path("d").c_str(), path("d").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, path("d").c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
      return std::string(not_permitted) + std::strerror(errno);
    }
    const auto onto_itself = copy("d/f", "d/f");
    if (!onto_itself) return "onto itself: " + onto_itself.error().message;
    for (const char* to : {"d/f", "d/new"}) {
      if (auto told = unlike_os_error(copy("a", to), EROFS); !told.empty()) return told;
    }
    return get("d/f") == "kept" ? "" : "the old file was lost";
  });
}

TEST_F(CopyPathTest, AStopEndsItAndTheHalfFileGoes) {
  put("d/f", "x");
  folder("e");
  stop_.request_stop();
  expect_failed(copy("d", "e", true), ErrorKind::cancelled, "request cancelled");
  expect_failed(copy("d/f", "g"), ErrorKind::cancelled, "request cancelled");
  EXPECT_FALSE(there("g"));
}

TEST_F(CopyPathTest, AFileThatGrowsIsCopiedAsItWasAtTheStart) {
  constexpr std::size_t growth = 16'384;  // per copy: a writer without a bound outruns a slow reader for ever
  const std::string start(300'000, 's');
  put("log", start);
  std::atomic<std::size_t> allowed = 0;
  std::jthread writer([&](const std::stop_token& stop) {
    std::ofstream log(path("log"), std::ios::app);
    for (std::size_t written = 0; !stop.stop_requested();) {
      if (written == allowed) {
        std::this_thread::yield();
        continue;
      }
      log << "more" << std::flush;
      written += 4;
    }
  });
  for (int i = 0; i < 50; ++i) {
    allowed += growth;
    expect_done(copy("log", "copy"));
    const std::string got = get("copy");
    EXPECT_GE(got.size(), start.size());
    EXPECT_TRUE(get("log").starts_with(got));
  }
}

TEST_F(CopyPathTest, AFileThatIsRewrittenGivesOneStateOrAnError) {
  const std::string one(1'500'000, '1');
  const std::string two(1'500'000, '2');
  put("a", one);
  std::atomic<bool> over = false;
  std::thread writer([&] {
    const os::FileDescriptor file(::open(path("a").c_str(), O_WRONLY | O_CLOEXEC));
    for (int i = 0; !over; ++i) {
      const std::string& text = i % 2 == 0 ? two : one;
      (void)!::ftruncate(file.get(), 0);
      (void)!::pwrite(file.get(), text.data(), text.size(), 0);
    }
  });
  int errors = 0;
  for (int i = 0; i < 50; ++i) {
    const auto copied = copy("a", "copy");
    if (!copied) {
      ++errors;
      EXPECT_EQ(copied.error().message, "the file was changed while it was copied");
    }
  }
  over = true;
  writer.join();
  RecordProperty("errors", errors);
}

class CopyManyTest : public CopyPathTest {
 protected:
  CopyManyTest() : CopyPathTest(quick_parent()) {}
};

TEST_F(CopyManyTest, TreesDeeperThanAnyPathAreCopied) {
  ASSERT_EQ(::mkdir(path("deep").c_str(), 0700), 0);
  os::FileDescriptor at(::open(path("deep").c_str(), O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "folder", 0700), 0);
    ::close(::openat(at.get(), "a", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ::close(::openat(at.get(), "z", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    at.reset(::openat(at.get(), "folder", O_DIRECTORY | O_CLOEXEC));
  }
  expect_done(copy("deep", "copy", true));
  at.reset(::open(path("copy").c_str(), O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(::faccessat(at.get(), "a", F_OK, 0), 0) << i;
    ASSERT_EQ(::faccessat(at.get(), "z", F_OK, 0), 0) << i;
    at.reset(::openat(at.get(), "folder", O_DIRECTORY | O_CLOEXEC));
  }
}

// Others swap a folder of the source for a link to what must not be copied, while the tree is copied.
TEST_F(CopyManyTest, SwappedFoldersNeverLeadOut) {
  put("secret/hidden", "x");
  for (int i = 0; i < 30; ++i) put("tree/" + std::to_string(i) + "/f");
  link(path("secret"), "trap");
  std::atomic<bool> over = false;
  std::thread swapper([&] {
    while (!over) {
      ::renameat2(AT_FDCWD, path("tree/7").c_str(), AT_FDCWD, path("trap").c_str(), RENAME_EXCHANGE);
    }
  });
  for (int round = 0; round < 100; ++round) {
    (void)copy("tree", "copy" + std::to_string(round), true);
    const std::string copied = "copy" + std::to_string(round) + "/7";
    EXPECT_TRUE(!there(copied) || fs::is_symlink(path(copied)) || !there(copied + "/hidden")) << round;
  }
  over = true;
  swapper.join();
}

TEST_F(CopyPathTest, AFifoWithAReaderThatStopsReadingEndsByTheStop) {
  put("a", std::string(1'000'000, 'x'));
  fifo("ff");
  const os::FileDescriptor reader(::open(path("ff").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::thread stopper([&] {
    std::array<char, 4096> part;
    while (::read(reader.get(), part.data(), part.size()) <= 0) std::this_thread::yield();
    stop_.request_stop();
  });
  const auto copied = copy("a", "ff");
  stopper.join();
  expect_failed(copied, ErrorKind::cancelled, "request cancelled");
}

}  // namespace
}  // namespace outpost::local
