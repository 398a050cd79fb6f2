#include "local/files/local_mounts.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "local/files/files_fixture.h"

namespace outpost::local {
namespace {

using namespace testing;

TEST(Mounts, AreReadFromWhatTheKernelSays) {
  const auto mounts = os::mounts_in(
      "26 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
      "27 26 0:24 /sub /with\\040blank rw shared:1 master:2 - fuse.sshfs host:/x rw\n"
      "broken\n"
      "28 26 0:25 / /tail\\ rw - nfs4 a rw");
  ASSERT_EQ(mounts.size(), 3u);
  EXPECT_EQ(mounts[0].point, "/");
  EXPECT_EQ(mounts[0].type, "ext4");
  EXPECT_EQ(mounts[1].point, "/with blank");
  EXPECT_EQ(mounts[1].type, "fuse.sshfs");
  EXPECT_EQ(mounts[2].point, "/tail\\");
}

TEST(Mounts, TheInnermostAndLatestCounts) {
  const std::vector<os::Mount> mounts = {{"/", "ext4"}, {"/a", "nfs4"}, {"/a/b", "tmpfs"}, {"/a", "xfs"}};
  EXPECT_EQ(LocalMounts::type_of(mounts, "/x"), "ext4");
  EXPECT_EQ(LocalMounts::type_of(mounts, "/a"), "xfs");
  EXPECT_EQ(LocalMounts::type_of(mounts, "/ab"), "ext4");
  EXPECT_EQ(LocalMounts::type_of(mounts, "/a/b/c"), "tmpfs");
  EXPECT_EQ(LocalMounts::type_of({}, "/"), "");
}

TEST(LocalMounts, KnowsWhereChangesAreTold) {
  LocalMounts mounts;
  EXPECT_FALSE(mounts.tells_changes("/proc/self"));
  EXPECT_FALSE(mounts.tells_changes("/sys/x"));
}

}  // namespace
}  // namespace outpost::local
