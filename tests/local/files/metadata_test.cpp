#include "local/files/metadata.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "os/fd.h"
#include "wire/path_uri.h"

namespace outpost::local {
namespace {

namespace fs = std::filesystem;

class MetadataTest : public ::testing::Test {
 protected:
  MetadataTest() {
    std::array<char, 64> name{"/tmp/outpost-files-test-XXXXXX"};
    folder_ = ::mkdtemp(name.data());
    std::ofstream(path("file")) << "twelve bytes";
    fs::create_directory(path("folder"));
    std::ofstream(path("folder/inner")) << "x";
    fs::create_symlink("file", path("to-file"));
    fs::create_symlink("folder", path("to-folder"));
    fs::create_symlink("missing", path("dangling"));
    fs::create_symlink("loop", path("loop"));
    fs::create_symlink("to-file", path("to-link"));
  }
  ~MetadataTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void expect_failed(const std::string& name, bool follow, ErrorKind kind, const std::string& end_of_message) const {
    const auto result = metadata_of(path(name), follow);
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().kind, kind) << name;
    EXPECT_TRUE(result.error().message.ends_with(end_of_message)) << name << ": " << result.error().message;
  }
  wire::GetMetadataResult of(const std::string& name, bool follow = true) const {
    const auto result = metadata_of(path(name), follow);
    EXPECT_TRUE(result) << name << ": " << (result ? "" : result.error().message);
    return result.value_or(wire::GetMetadataResult{});
  }
  static std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }

  std::string folder_;
};

TEST_F(MetadataTest, OfAFile) {
  for (const bool follow : {true, false}) {
    const auto found = of("file", follow);
    EXPECT_TRUE(found.is_file);
    EXPECT_FALSE(found.is_directory);
    EXPECT_FALSE(found.is_symlink);
    EXPECT_EQ(found.size, 12u);
    EXPECT_LT(std::abs(found.modified_at_ms - now_ms()), 3'600'000);
  }
}

TEST_F(MetadataTest, BirthTimeIsTheSameWithLinksFollowedOrNot) {
  EXPECT_EQ(of("file", true).created_at_ms, of("file", false).created_at_ms);
  EXPECT_EQ(of("to-file", true).created_at_ms, of("file", false).created_at_ms);
}

TEST_F(MetadataTest, OfAFolder) {
  for (const bool follow : {true, false}) {
    const auto found = of("folder", follow);
    EXPECT_TRUE(found.is_directory);
    EXPECT_FALSE(found.is_file);
    struct stat plain{};
    ASSERT_EQ(::stat(path("folder").c_str(), &plain), 0);
    EXPECT_EQ(found.size, static_cast<std::uint64_t>(plain.st_size));
  }
}

TEST_F(MetadataTest, OfTheRoot) {
  for (const bool follow : {true, false}) {
    const auto found = metadata_of("/", follow);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_directory);
    EXPECT_FALSE(found->is_symlink);
  }
}

TEST_F(MetadataTest, ALinkIsItsTargetAndSaysSo) {
  const auto file = of("to-file");
  EXPECT_TRUE(file.is_file);
  EXPECT_TRUE(file.is_symlink);
  EXPECT_EQ(file.size, 12u);
  const auto folder = of("to-folder");
  EXPECT_TRUE(folder.is_directory);
  EXPECT_TRUE(folder.is_symlink);
  EXPECT_TRUE(of("to-link").is_file);
  EXPECT_FALSE(of("to-folder/inner").is_symlink) << "only the last component counts";
}

TEST_F(MetadataTest, MissingAndDanglingAreNotFound) {
  expect_failed("missing", true, ErrorKind::not_found, "(os error 2)");
  expect_failed("missing", false, ErrorKind::not_found, "(os error 2)");
  expect_failed("missing/inner", true, ErrorKind::not_found, "(os error 2)");
  expect_failed("missing/inner", false, ErrorKind::not_found, "(os error 2)");
  expect_failed("dangling", true, ErrorKind::not_found, "(os error 2)");
}

TEST_F(MetadataTest, ALoopOfLinksIsAnError) {
  expect_failed("loop", true, ErrorKind::io, "(os error 40)");
}

TEST_F(MetadataTest, AFileOnTheWayIsNoFolder) {
  expect_failed("file/inner", true, ErrorKind::io, "(os error 20)");
  expect_failed("file/inner", false, ErrorKind::io, "(os error 20)");
}

TEST_F(MetadataTest, ATooLongNameIsAnError) {
  expect_failed(std::string(256, 'n'), true, ErrorKind::io, "(os error 36)");
  expect_failed(std::string(256, 'n'), false, ErrorKind::io, "(os error 36)");
  expect_failed(std::string(256, 'n') + "/x", false, ErrorKind::io, "(os error 36)");
}

TEST_F(MetadataTest, WithoutFollowingALinkAtTheEndIsRefused) {
  for (const char* name : {"to-file", "to-folder", "dangling", "loop", "to-link"}) {
    expect_failed(name, false, ErrorKind::invalid_input, "path contains a symbolic link");
  }
}

TEST_F(MetadataTest, WithoutFollowingALinkOnTheWayIsNoFolder) {
  expect_failed("to-folder/inner", false, ErrorKind::io, "(os error 20)");
  expect_failed("dangling/inner", false, ErrorKind::io, "(os error 20)");
  expect_failed("loop/inner", false, ErrorKind::io, "(os error 20)");
}

TEST_F(MetadataTest, WithoutFollowingAPathLongerThanTheSystemAllowsWorks) {
  // The kernel refuses paths of 4096 bytes; walking meets one component at a time.
  std::string deep = folder_;
  os::FileDescriptor at(::open(folder_.c_str(), O_DIRECTORY | O_CLOEXEC));
  const std::string name(200, 'd');
  for (int i = 0; i < 25; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at.reset(::openat(at.get(), name.c_str(), O_DIRECTORY | O_CLOEXEC));
    deep += "/" + name;
  }
  const auto found = metadata_of(deep, false);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->is_directory);
  EXPECT_EQ(metadata_of(deep, true).error().kind, ErrorKind::io);
}

TEST_F(MetadataTest, FifosSocketsAndDevicesAreNeitherAndHaveNoSize) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const os::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const std::string& name : {path("fifo"), path("socket"), std::string("/dev/null")}) {
    for (const bool follow : {true, false}) {
      const auto found = metadata_of(name, follow);
      ASSERT_TRUE(found) << name;
      EXPECT_FALSE(found->is_file || found->is_directory || found->is_symlink) << name;
      EXPECT_EQ(found->size, 0u);
    }
  }
}

TEST_F(MetadataTest, TimesAreWholeMillisecondsAndNeverBelowZero) {
  const auto set_time = [&](std::int64_t seconds, long nanoseconds) {
    const std::array<timespec, 2> times{{{.tv_sec = 0, .tv_nsec = 0}, {.tv_sec = seconds, .tv_nsec = nanoseconds}}};
    return ::utimensat(AT_FDCWD, path("file").c_str(), times.data(), 0) == 0;
  };
  ASSERT_TRUE(set_time(1'234'567'890, 987'654'321));
  EXPECT_EQ(of("file").modified_at_ms, 1'234'567'890'987);
  ASSERT_TRUE(set_time(0, 999'999));
  EXPECT_EQ(of("file").modified_at_ms, 0);
  if (!set_time(-5, 0)) GTEST_SKIP() << "this file system has no times before 1970";
  EXPECT_EQ(of("file").modified_at_ms, 0);
}

}  // namespace
}  // namespace outpost::local
