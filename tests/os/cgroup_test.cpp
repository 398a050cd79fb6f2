#include "os/cgroup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/uuid.h"
#include "os/run_program.h"

namespace outpost::os {
namespace {

constexpr auto unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(CgroupFolderOf, JoinsTheMountAndTheMembership) {
  EXPECT_EQ(cgroup_folder_of("0::/user.slice/a\n", unified), "/sys/fs/cgroup/user.slice/a");
  EXPECT_EQ(cgroup_folder_of("0::/\n", unified), "/sys/fs/cgroup");
  EXPECT_EQ(cgroup_folder_of("0::/a", unified), "/sys/fs/cgroup/a");
}

TEST(CgroupFolderOf, FindsVersionTwoBesideVersionOne) {
  const std::string mounts =
      "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(cgroup_folder_of("4:memory:/box\n0::/x\n", mounts), "/sys/fs/cgroup/unified/x");
}

TEST(CgroupFolderOf, TakesAwayThePartThatIsMounted) {
  const std::string mounts = "30 23 0:26 /docker/7 /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  EXPECT_EQ(cgroup_folder_of("0::/docker/7/job\n", mounts), "/sys/fs/cgroup/job");
  EXPECT_EQ(cgroup_folder_of("0::/docker/8\n", mounts), "") << "we are outside of what is mounted";
  EXPECT_EQ(cgroup_folder_of("0::/../../elsewhere\n", unified), "");
}

TEST(CgroupFolderOf, ReadsEscapedBlanks) {
  EXPECT_EQ(cgroup_folder_of("0::/\n", "30 23 0:26 / /my\\040cgroups rw - cgroup2 x rw\n"), "/my cgroups");
}

TEST(CgroupFolderOf, IsEmptyWhereThereIsNone) {
  EXPECT_EQ(cgroup_folder_of("", ""), "");
  EXPECT_EQ(cgroup_folder_of("1:cpu:/\n", unified), "");
  EXPECT_EQ(cgroup_folder_of("0::/\n", "31 23 0:27 / /x rw - cgroup cgroup rw,cpu\n"), "");
  EXPECT_EQ(cgroup_folder_of("0::/\n", "cgroup2 - \n- cgroup2\n"), "");
}

/// On a machine where cgroups can be made.
class CgroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto parent = own_cgroup();
    if (!parent) GTEST_SKIP() << parent.error().message;
    auto made = CgroupFolder::make(*parent, "outpost-test-" + random_uuid_v4());
    if (!made) GTEST_SKIP() << "cgroup v2 is not writable at " << *parent << ": " << made.error().message;
    folder_ = std::make_unique<CgroupFolder>(*std::move(made));
  }
  void TearDown() override {
    if (folder_) clear_cgroup(folder_->path());
  }
  testing::Running start(std::uint64_t group, std::uint64_t member, const std::string& script) {
    SpawnRequest request = testing::shell(script);
    request.cgroup_procs = *folder_->add(group, member);
    testing::Running running = testing::start(std::move(request));
    EXPECT_EQ(testing::read_line(running.output.get()), "up");
    return running;
  }
  std::unique_ptr<CgroupFolder> folder_;
};

TEST_F(CgroupTest, KillReachesDaemonsOfTheMemberAndNobodyElse) {
  const auto other = start(1, 1, "echo up; sleep 1000");
  const auto running = start(1, 2, "setsid sh -c 'echo up; sleep 1000' & wait");
  EXPECT_FALSE(folder_->remove(1, 2)) << "something lives in there";
  EXPECT_TRUE(folder_->kill(1, 2));
  EXPECT_EQ(testing::read_all(running.output.get()), "");
  EXPECT_EQ(testing::wait_for(running.child).wire_code(), 137);
  EXPECT_FALSE(testing::wait_readable(other.output.get(), 0));
}

TEST_F(CgroupTest, AGroupEndsWithAllItsMembers) {
  const auto first = start(7, 1, "echo up; sleep 1000");
  const auto second = start(7, 2, "(setsid sh -c 'echo up; sleep 1000' &); sleep 1000");
  EXPECT_TRUE(folder_->kill(7));
  EXPECT_EQ(testing::read_all(first.output.get()), "");
  EXPECT_EQ(testing::read_all(second.output.get()), "");
  testing::wait_for(first.child);
  testing::wait_for(second.child);
  clear_cgroup(folder_->path());
  EXPECT_NE(::access(folder_->path().c_str(), F_OK), 0);
}

TEST_F(CgroupTest, RemovingWhatIsGoneIsNoFailure) {
  EXPECT_TRUE(folder_->remove(3, 4));
  EXPECT_TRUE(folder_->remove(3));
  EXPECT_TRUE(folder_->add(3, 4));
  EXPECT_TRUE(folder_->remove(3, 4));
  EXPECT_TRUE(folder_->remove(3));
}

TEST_F(CgroupTest, ANameInUseIsRefused) {
  const std::string path = folder_->path();
  const auto cut = path.rfind('/');
  EXPECT_FALSE(CgroupFolder::make(path.substr(0, cut), path.substr(cut + 1)));
  EXPECT_EQ(::access(path.c_str(), F_OK), 0) << "it is the other's";
  EXPECT_FALSE(CgroupFolder::make(path + "/not/there", "x"));
}

}  // namespace
}  // namespace outpost::os
