#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

/// What tests of files share: a folder of their own, and mounts of their own in a child.
namespace outpost::local::testing {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() : FilesTest("/tmp") {}
  explicit FilesTest(const std::string& parent) {
    std::string name = parent + "/outpost-files-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& text = "", unsigned mode = 0644) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  std::string get(const std::string& name) const { return contents(path(name)); }
  static std::string contents(const std::string& native) {
    std::ostringstream text;
    text << std::ifstream(native, std::ios::binary).rdbuf();
    return std::move(text).str();
  }
  void folder(const std::string& name) const { fs::create_directories(path(name)); }
  void link(const std::string& text, const std::string& name) const { fs::create_symlink(text, path(name)); }
  void fifo(const std::string& name) const { ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0); }
  bool there(const std::string& name) const { return fs::exists(fs::symlink_status(path(name))); }
  struct stat status(const std::string& name) const {
    struct stat found{};
    EXPECT_EQ(::lstat(path(name).c_str(), &found), 0) << name;
    return found;
  }
  unsigned mode(const std::string& name) const { return status(name).st_mode & 07777; }
  std::vector<std::string> names(const std::string& name = ".") const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path(name))) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  std::string folder_;
  std::stop_source stop_;
};

/// Where thousands of folders are made and removed fast.
inline std::string quick_parent() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

template <class T>
void expect_done(const Result<T>& result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
}
template <class T>
void expect_failed(const Result<T>& result, ErrorKind kind, const std::string& text) {
  ASSERT_FALSE(result) << "expected: " << text;
  EXPECT_EQ(result.error().kind, kind) << result.error().message;
  EXPECT_TRUE(result.error().message.ends_with(text)) << result.error().message;
}
template <class T>
void expect_os_error(const Result<T>& result, ErrorKind kind, int number) {
  expect_failed(result, kind, "(os error " + std::to_string(number) + ")");
}
/// For checks within a child: empty if the result failed in that way.
template <class T>
std::string unlike_os_error(const Result<T>& result, int number) {
  if (!result && result.error().message.ends_with("(os error " + std::to_string(number) + ")")) return {};
  return result ? "succeeded" : result.error().message;
}

/// Runs `body` in a child that may mount what it likes; gives what it returned (nothing: all was well). `not_permitted`
/// starts the text if this machine lets nobody mount.
inline constexpr std::string_view not_permitted = "no mounts here: ";
inline std::string in_own_mounts(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      text = std::string(not_permitted) + std::strerror(errno);
    } else {
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
      std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
      text = body();
    }
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? text : "the child was killed";
}

/// Fails the test with what came from `in_own_mounts`, or skips it where nothing can be mounted.
#define EXPECT_IN_OWN_MOUNTS(...)                                                         \
  do {                                                                                    \
    const std::string told = ::outpost::local::testing::in_own_mounts(__VA_ARGS__);       \
    if (told.starts_with(::outpost::local::testing::not_permitted)) GTEST_SKIP() << told; \
    EXPECT_EQ(told, "");                                                                  \
  } while (false)

inline std::string mount_full_tmpfs(const std::string& at, const char* options) {
  if (::mount("none", at.c_str(), "tmpfs", 0, options) == 0) return {};
  return std::string(not_permitted) + std::strerror(errno);
}

}  // namespace outpost::local::testing
