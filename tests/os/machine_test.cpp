#include "os/machine.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "os/in_child.h"

namespace outpost::os {
namespace {

using testing::in_child;

TEST(Machine, UserComesFromThePasswordDatabaseAndNotFromTheEnvironment) {
  ::setenv("HOME", "/elsewhere", 1);
  ::setenv("SHELL", "/bin/other", 1);
  const passwd* expected = ::getpwuid(::geteuid());
  ASSERT_NE(expected, nullptr);
  const auto user = current_user();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, expected->pw_name);
  EXPECT_EQ(user->home, expected->pw_dir);
  EXPECT_EQ(user->shell, expected->pw_shell);
}

TEST(Machine, UnknownUserIsNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  EXPECT_TRUE(in_child([] { return ::setuid(3'999'999) == 0 && !current_user(); }));
}

TEST(Machine, CurrentDirectoryFollowsAndMayBeGone) {
  const auto folder = std::filesystem::temp_directory_path() / ("machine_test." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(in_child([&] {
    std::filesystem::current_path(folder);
    const bool found = current_directory() == folder.string();
    std::filesystem::remove(folder);
    const auto gone = current_directory();
    return found && !gone && gone.error().message == "No such file or directory (os error 2)";
  }));
}

TEST(Machine, HostNameIsTheKernels) {
  std::string expected;
  std::getline(std::ifstream("/proc/sys/kernel/hostname"), expected);
  EXPECT_EQ(host_name(), expected);
}

}  // namespace
}  // namespace outpost::os
