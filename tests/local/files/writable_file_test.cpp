#include "local/files/writable_file.h"

#include <sys/xattr.h>

#include <atomic>
#include <thread>

#include "files_fixture.h"

namespace outpost::local {
namespace {

using namespace testing;

class WritableFileTest : public FilesTest {
 protected:
  WritableFileTest() { ::umask(022); }
  Result<> write(const std::string& name, const std::string& text, const WriteOptions& options = {}) const {
    return write_file(path(name), as_bytes(text), options, stop_.get_token());
  }
  Result<WritableFile> open(const std::string& name, OpenPurpose purpose, const WriteOptions& options = {}) const {
    return WritableFile::open(path(name), purpose, options);
  }
  /// What lies beside the named files: nothing may be left.
  std::vector<std::string> temporary_files() const {
    std::vector<std::string> found;
    for (const std::string& name : names()) {
      if (name.contains(".outpost-")) found.push_back(name);
    }
    return found;
  }
  bool set_attribute(const std::string& name, const char* attribute, const std::string& value) const {
    return ::lsetxattr(path(name).c_str(), attribute, value.data(), value.size(), 0) == 0;
  }
  std::string attribute(const std::string& name, const char* attribute) const {
    std::array<char, 256> value{};
    const ssize_t size = ::lgetxattr(path(name).c_str(), attribute, value.data(), value.size());
    return size < 0 ? "none" : std::string(value.data(), static_cast<std::size_t>(size));
  }
};

TEST_F(WritableFileTest, APlainWriteKeepsInodeModeAndHardLinks) {
  put("a", "something longer", 04750);
  fs::create_hard_link(path("a"), path("hard"));
  const auto inode = status("a").st_ino;
  expect_done(write("a", "new"));
  EXPECT_EQ(get("hard"), "new");
  EXPECT_EQ(status("a").st_ino, inode);
  if (::geteuid() == 0) EXPECT_EQ(mode("a"), 04750u);
  expect_done(write("new", "x"));
  EXPECT_EQ(mode("new"), 0644u);
  expect_done(write("a", ""));
  EXPECT_EQ(get("a"), "");
}

TEST_F(WritableFileTest, APlainWriteGoesThroughLinks) {
  put("t", "old");
  link("t", "l");
  link("made", "dangling");
  expect_done(write("l", "1"));
  expect_done(write("dangling", "2"));
  EXPECT_EQ(get("t"), "1");
  EXPECT_EQ(get("made"), "2");
  EXPECT_TRUE(fs::is_symlink(path("l")) && fs::is_symlink(path("dangling")));
}

TEST_F(WritableFileTest, ErrorsOfAPlainWrite) {
  put("f", "x");
  folder("d");
  fifo("ff");
  link("loop", "loop");
  expect_os_error(write("no/such", ""), ErrorKind::not_found, ENOENT);
  expect_os_error(write("d", ""), ErrorKind::io, EISDIR);
  expect_os_error(write_file("/", {}, {}, {}), ErrorKind::io, EISDIR);
  expect_os_error(write("f/x", ""), ErrorKind::io, ENOTDIR);
  expect_os_error(write("ff", "x"), ErrorKind::io, ENXIO);
  expect_os_error(write("loop", "x"), ErrorKind::io, ELOOP);
  expect_os_error(write(std::string(256, 'n'), "x"), ErrorKind::io, ENAMETOOLONG);
  expect_done(write_file("/dev/null", as_bytes("x"), {.mode = 0600}, {}));
  EXPECT_NE(::access("/dev/null", W_OK), -1);
  expect_os_error(write_file("/dev/full", as_bytes("x"), {}, {}), ErrorKind::io, ENOSPC);
}

TEST_F(WritableFileTest, WithoutFollowingLinksAreRefused) {
  const WriteOptions plain{.follow_symlinks = false};
  put("a", "x");
  link("a", "l");
  link("gone", "dangling");
  put("d/f", "x");
  link("d", "ld");
  for (const bool atomic : {false, true}) {
    const WriteOptions options{.follow_symlinks = false, .atomic = atomic};
    expect_os_error(write("l", "z", options), ErrorKind::io, ELOOP);
    expect_os_error(write("dangling", "z", options), ErrorKind::io, ELOOP);
    expect_os_error(write("ld/f", "z", options), ErrorKind::io, ENOTDIR);
    expect_failed(write_file("/", {}, options, {}), ErrorKind::invalid_input, "path must name an entry");
  }
  expect_os_error(write("d", "", plain), ErrorKind::io, EISDIR);
  EXPECT_EQ(get("a"), "x");
  expect_done(write("d/f", "y", plain));
  EXPECT_EQ(get("d/f"), "y");
}

TEST_F(WritableFileTest, AFullDiskIsToldAndTheOldFileStays) {
  folder("m");
  EXPECT_IN_OWN_MOUNTS([&]() -> std::string {
    if (auto told = mount_full_tmpfs(path("m"), "size=256k"); !told.empty()) return told;
    std::ofstream(path("m/old")) << "what it had";
    const std::string big(400'000, 'x');
    for (const bool atomic : {false, true}) {
      const WriteOptions options{.atomic = atomic};
      if (auto told = unlike_os_error(write("m/old", big, options), ENOSPC); !told.empty()) return told;
      if (get("m/old") != "what it had") return "the old file was lost";
      if (auto told = unlike_os_error(write("m/new", big, options), ENOSPC); !told.empty()) return told;
      if (names("m") != std::vector<std::string>{"old"}) return "a half file was left";
    }
    if (auto told = unlike_os_error(write("m/old", big, {.mode = 0600}), ENOSPC); !told.empty()) return told;
    return mode("m/old") == 0644 ? "" : "the old mode was lost";
  });
}

TEST_F(WritableFileTest, AReadOnlyFileSystemIsTold) {
  put("d/f", "kept");
  EXPECT_IN_OWN_MOUNTS([&]() -> std::string {
    if (::mount(path("d").c_str(), path("d").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, path("d").c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
      return std::string(not_permitted) + std::strerror(errno);
    }
    for (const bool atomic : {false, true}) {
      if (auto told = unlike_os_error(write("d/f", "x", {.atomic = atomic}), EROFS); !told.empty()) return told;
      if (auto told = unlike_os_error(write("d/new", "x", {.atomic = atomic}), EROFS); !told.empty()) return told;
    }
    return get("d/f") == "kept" ? "" : "the old file was lost";
  });
}

TEST_F(WritableFileTest, AnAtomicWriteReplacesTheFileAndKeepsWhatItWas) {
  put("a", "old", 04751);
  fs::create_hard_link(path("a"), path("hard"));
  const bool attributes = set_attribute("a", "user.note", "kept");
  if (::geteuid() == 0) ASSERT_EQ(::chown(path("a").c_str(), 1234, 4321), 0);
  ASSERT_EQ(::chmod(path("a").c_str(), 04751), 0);
  const auto inode = status("a").st_ino;
  expect_done(write("a", "new", {.atomic = true, .fsync = true}));
  EXPECT_EQ(get("a"), "new");
  EXPECT_EQ(get("hard"), "old");
  EXPECT_NE(status("a").st_ino, inode);
  EXPECT_EQ(mode("a"), 04751u);
  if (attributes) EXPECT_EQ(attribute("a", "user.note"), "kept");
  if (::geteuid() == 0) {
    EXPECT_EQ(status("a").st_uid, 1234u);
    EXPECT_EQ(status("a").st_gid, 4321u);
  }
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(WritableFileTest, RightsToRunAsAnotherAreNotCarriedByContents) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root sets file capabilities";
  put("a", "old", 0755);
  // cap_net_raw=ep, VFS_CAP_REVISION_2
  const std::string capability("\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
  if (!set_attribute("a", "security.capability", capability)) GTEST_SKIP() << "no file capabilities on /tmp";
  expect_done(write("a", "new", {.atomic = true}));
  EXPECT_EQ(attribute("a", "security.capability"), "none");
}

// R44: an atomic replacement keeps the executable bit and writes through links.
TEST_F(WritableFileTest, AnAtomicWriteGoesThroughLinks) {
  put("s", "old", 0755);
  link(path("s"), "absolute");
  folder("sub");
  link("../absolute", "sub/l");
  link("sub/made", "dangling");
  expect_done(write("sub/l", "new", {.atomic = true}));
  expect_done(write("dangling", "made", {.atomic = true}));
  EXPECT_EQ(get("s"), "new");
  EXPECT_EQ(mode("s"), 0755u);
  EXPECT_EQ(get("sub/made"), "made");
  EXPECT_EQ(mode("sub/made"), 0644u);
  for (const char* name : {"absolute", "sub/l", "dangling"}) EXPECT_TRUE(fs::is_symlink(path(name))) << name;
  EXPECT_EQ(names("sub"), (std::vector<std::string>{"l", "made"}));
}

TEST_F(WritableFileTest, AnAtomicWriteNeedsARegularFile) {
  folder("d");
  fifo("ff");
  link("d", "ld");
  link("loop", "loop");
  link("d/", "trailing");
  const WriteOptions atomic{.atomic = true};
  for (const char* name : {"d", "ff", "ld"}) {
    expect_failed(write(name, "x", atomic), ErrorKind::invalid_input, "outpost.atomic needs a regular file");
  }
  expect_failed(write_file("/dev/null", {}, atomic, {}), ErrorKind::invalid_input,
                "outpost.atomic needs a regular file");
  expect_os_error(write("loop", "x", atomic), ErrorKind::io, ELOOP);
  expect_os_error(write("trailing", "x", atomic), ErrorKind::io, EISDIR);
  expect_os_error(write("no/such", "x", atomic), ErrorKind::not_found, ENOENT);
  expect_os_error(write_file("/", {}, atomic, {}), ErrorKind::io, EISDIR);
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(WritableFileTest, AtomicNamesOfAnyLength) {
  const std::string longest(255, 'n');
  expect_done(write(longest, "x", {.atomic = true}));
  EXPECT_EQ(get(longest), "x");
  expect_os_error(write(longest + "n", "x", {.atomic = true}), ErrorKind::io, ENAMETOOLONG);
  EXPECT_EQ(names(), std::vector<std::string>{longest});
  EXPECT_EQ(temporary_name("a.txt", 0), ".a.txt.outpost-aaaaaa");
  EXPECT_EQ(temporary_name(longest, 61).size(), 255u);
  std::string wide;
  while (wide.size() < 250) wide += "\xc3\xa9";
  EXPECT_EQ(temporary_name(wide, 61), "." + wide.substr(0, 238) + ".outpost-9aaaaa");
}

// R43: who looks sees all of the old or all of the new.
TEST_F(WritableFileTest, ReadersNeverSeeHalfOfAnAtomicWrite) {
  const std::string one(4 << 20, '1');
  const std::string two(3 << 20, '2');
  put("a", one);
  std::atomic<bool> over = false;
  std::atomic<std::size_t> wrong = 0;
  std::thread reader([&] {
    while (!over) {
      const std::uint64_t size = fs::file_size(path("a"));
      if (size != one.size() && size != two.size()) ++wrong;
    }
  });
  for (int i = 0; i < 12; ++i) expect_done(write("a", i % 2 == 0 ? two : one, {.atomic = true}));
  over = true;
  reader.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(get("a") == one);
}

TEST_F(WritableFileTest, ExclusiveNeedsANameThatIsFree) {
  put("a", "old");
  link("gone", "dangling");
  for (const bool atomic : {false, true}) {
    const WriteOptions options{.atomic = atomic, .exclusive = true};
    expect_os_error(write("a", "x", options), ErrorKind::io, EEXIST);
    expect_os_error(write("dangling", "x", options), ErrorKind::io, EEXIST);
    expect_done(write(atomic ? "new2" : "new1", "x", options));
  }
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "dangling", "new1", "new2"}));
}

TEST_F(WritableFileTest, OfManyExclusiveWritersOneWins) {
  for (const bool atomic : {false, true}) {
    std::atomic<int> won = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&, i] {
        if (write(atomic ? "b" : "a", std::to_string(i), {.atomic = atomic, .exclusive = true})) ++won;
      });
    }
    for (auto& writer : writers) writer.join();
    EXPECT_EQ(won, 1);
  }
}

TEST_F(WritableFileTest, ALateArrivalFailsTheExclusiveCommit) {
  auto file = open("a", OpenPurpose::replace, {.atomic = true, .exclusive = true});
  ASSERT_TRUE(file);
  expect_done(file->write_at(0, as_bytes("mine"), {}));
  put("a", "theirs");
  expect_os_error(file->commit(), ErrorKind::io, EEXIST);
  EXPECT_EQ(get("a"), "theirs");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(WritableFileTest, TheModeIsSetForNewAndExistingFiles) {
  put("a", "x", 0600);
  for (const bool atomic : {false, true}) {
    for (const std::uint32_t bits : {0777u, 0u, 06711u, 01666u}) {
      const WriteOptions options{.atomic = atomic, .mode = bits};
      expect_done(write("a", "y", options));
      EXPECT_EQ(mode("a"), bits);
      const std::string name = "new" + std::to_string(bits) + (atomic ? "a" : "");
      expect_done(write(name, "y", options));
      EXPECT_EQ(mode(name), bits);
      if (::geteuid() != 0) ASSERT_EQ(::chmod(path("a").c_str(), 0600), 0);
    }
  }
}

TEST_F(WritableFileTest, FsyncGoesWithEverything) {
  expect_done(write("a", "x", {.fsync = true}));
  expect_done(write("a", "y", {.exclusive = false, .mode = 0600, .fsync = true}));
  expect_done(write("b", "y", {.exclusive = true, .fsync = true}));
  expect_done(write_file("/dev/null", as_bytes("x"), {.fsync = true}, {}));
  EXPECT_EQ(get("a"), "y");
}

TEST_F(WritableFileTest, ReplaceEmptiesAtOnceAndTakesRegularFilesOnly) {
  put("a", "12345");
  folder("d");
  fifo("ff");
  auto file = open("a", OpenPurpose::replace);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size_before(), 5u);
  EXPECT_EQ(get("a"), "");
  expect_done(file->write_at(3, as_bytes("x"), {}));
  expect_done(file->commit());
  EXPECT_EQ(get("a"), std::string("\0\0\0x", 4));
  EXPECT_EQ(open("new", OpenPurpose::replace)->size_before(), 0u);
  expect_os_error(open("d", OpenPurpose::replace), ErrorKind::io, EISDIR);
  expect_os_error(open("ff", OpenPurpose::replace), ErrorKind::io, ENXIO);
  expect_failed(WritableFile::open("/dev/null", OpenPurpose::replace, {}), ErrorKind::invalid_input,
                "path `/dev/null` is not a file");
  expect_failed(open("ff", OpenPurpose::update), ErrorKind::invalid_input, "/ff` is not a file");
  expect_os_error(open("d", OpenPurpose::update), ErrorKind::io, EISDIR);
}

TEST_F(WritableFileTest, UpdateKeepsWhatIsThereAndReads) {
  put("a", "12345");
  auto file = open("a", OpenPurpose::update);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size_before(), 5u);
  expect_done(file->write_at(1, as_bytes("x"), {}));
  EXPECT_EQ(get("a"), "1x345");
  std::array<char, 8> part{};
  EXPECT_EQ(::pread(file->fd(), part.data(), part.size(), 0), 5);
  expect_os_error(open("a", OpenPurpose::update, {.exclusive = true}), ErrorKind::io, EEXIST);
  EXPECT_TRUE(open("new", OpenPurpose::update, {.mode = 0600}));
  EXPECT_EQ(mode("new"), 0600u);
  expect_os_error(file->write_at(std::uint64_t{1} << 63, as_bytes("x"), {}), ErrorKind::invalid_input, EINVAL);
}

TEST_F(WritableFileTest, AnAtomicHandleThatIsNotCommittedLeavesNothing) {
  put("a", "old");
  {
    auto file = open("a", OpenPurpose::replace, {.atomic = true});
    ASSERT_TRUE(file);
    EXPECT_EQ(file->size_before(), 3u);
    expect_done(file->write_at(0, as_bytes("new"), {}));
    EXPECT_EQ(temporary_files().size(), 1u);
    WritableFile moved = *std::move(file);
    EXPECT_EQ(temporary_files().size(), 1u);
  }
  auto file = open("a", OpenPurpose::replace, {.atomic = true});
  file->discard();
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
  EXPECT_EQ(get("a"), "old");
}

TEST_F(WritableFileTest, WhatChangesUntilTheCommitCounts) {
  put("a", "old", 0600);
  auto file = open("a", OpenPurpose::replace, {.atomic = true});
  ASSERT_EQ(::chmod(path("a").c_str(), 0751), 0);
  expect_done(file->commit());
  EXPECT_EQ(mode("a"), 0751u);
  auto second = open("a", OpenPurpose::replace, {.atomic = true});
  fs::remove(path("a"));
  folder("a");
  expect_failed(second->commit(), ErrorKind::invalid_input, "outpost.atomic needs a regular file");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(WritableFileTest, AMovedFolderTakesTheAtomicWriteAlong) {
  put("d/a", "old");
  auto file = open("d/a", OpenPurpose::replace, {.atomic = true});
  expect_done(file->write_at(0, as_bytes("new"), {}));
  fs::rename(path("d"), path("e"));
  put("d/a", "another");
  expect_done(file->commit());
  EXPECT_EQ(get("e/a"), "new");
  EXPECT_EQ(get("d/a"), "another");
}

TEST_F(WritableFileTest, TenMillionBytesOfLinesGoThroughEveryPath) {
  std::string lines;
  for (int i = 0; lines.size() < 10'000'000; ++i) lines += "line " + std::to_string(i) + "\r\n";
  lines.resize(10'000'000);
  expect_done(write("plain", lines));
  expect_done(write("atomic", lines, {.atomic = true}));
  expect_done(write("exclusive", lines, {.exclusive = true}));
  auto file = open("blocks", OpenPurpose::replace);
  for (std::size_t at = 0; at < lines.size(); at += 1'000'003) {
    expect_done(file->write_at(at, as_bytes(std::string_view(lines).substr(at, 1'000'003)), {}));
  }
  for (const char* name : {"plain", "atomic", "exclusive", "blocks"}) EXPECT_TRUE(get(name) == lines) << name;
}

}  // namespace
}  // namespace outpost::local
