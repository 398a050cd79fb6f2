#include "os/features.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace outpost::os {
namespace {

TEST(Features, TellTheKernelAndItsPidfds) {
  utsname names{};
  ASSERT_EQ(::uname(&names), 0);
  EXPECT_EQ(kernel_release(), names.release);
  EXPECT_EQ(pidfd_error(), 0) << "the tests use them";
}

TEST(Features, FindProgramsInPath) {
  const auto found = find_program("sh");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ends_with("/sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_FALSE(find_program("")) << "a folder is no program";
}

TEST(Features, ALandlockHasAnAbiOrAReason) {
  const Landlock found = landlock();
  EXPECT_NE(found.abi > 0, found.error != 0);
}

TEST(Features, AUserNamespaceIsTriedInAChild) {
  const int before = user_namespace_error();
  EXPECT_GE(before, 0);
  EXPECT_EQ(user_namespace_error(), before) << "this process hasn't changed";
}

}  // namespace
}  // namespace outpost::os
