#include "apps/outpost/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace outpost::apps {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Doctor, SaysOkWhereAllIsThere) {
  const MachineFindings good{.kernel = "6.1.0",
                             .containment = local::ContainmentLevel::cgroup,
                             .containment_reason = "",
                             .bubblewrap = "/usr/bin/bwrap",
                             .landlock = {.abi = 4}};
  const auto lines = doctor_lines(good);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "ok       kernel: 6.1.0");
  EXPECT_EQ(lines[4], "ok       bubblewrap: /usr/bin/bwrap");
  EXPECT_EQ(lines[5], "ok       Landlock: ABI 4");
  for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("ok ")) << line;
}

TEST(Doctor, SaysWhatToDoAboutWhatIsMissing) {
  const MachineFindings poor{.kernel = "4.19",
                             .pidfd_error = ENOSYS,
                             .containment = local::ContainmentLevel::group,
                             .containment_reason = "no cgroup v2 is mounted here",
                             .user_namespace_error = EPERM,
                             .bubblewrap = "",
                             .landlock = {.abi = 0, .error = EOPNOTSUPP}};
  const auto lines = doctor_lines(poor);
  EXPECT_TRUE(holds(lines[1], "missing  pidfd: Function not implemented (os error 38); Linux 5.3"));
  EXPECT_TRUE(holds(lines[2], "missing  containment: group"));
  EXPECT_TRUE(holds(lines[2], "no cgroup v2 is mounted here"));
  EXPECT_TRUE(holds(lines[3], "Operation not permitted (os error 1)"));
  EXPECT_TRUE(holds(lines[4], "apt-get install bubblewrap"));
  EXPECT_TRUE(holds(lines[5], "lsm="));
}

TEST(Doctor, TheMiddleLevelIsNoFault) {
  const MachineFindings findings{.kernel = "6",
                                 .containment = local::ContainmentLevel::subreaper,
                                 .containment_reason = "cgroup v2 is not writable",
                                 .bubblewrap = "",
                                 .landlock = {}};
  EXPECT_TRUE(doctor_lines(findings)[2].starts_with("ok       containment: subreaper")) << doctor_lines(findings)[2];
}

}  // namespace
}  // namespace outpost::apps
