#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::os {

/// The cgroup v2 folder that this process is in, also where v2 is mounted beside v1; fails where there is none.
Result<std::string> own_cgroup();
/// The same from the texts of /proc/self/cgroup and /proc/self/mountinfo (cgroups(7), proc(5)); empty for none. Pure.
std::string cgroup_folder_of(std::string_view memberships, std::string_view mounts);

/// A folder of cgroups, two levels deep, in which whole trees of processes are kept and ended (cgroups(7)): groups, and
/// in each of them members. The kernel holds every process there that was ever started below one, whatever it does.
/// Several threads may use it, each its own groups.
class CgroupFolder {
 public:
  /// Makes `parent`/`name` and sees whether it can do all that is needed, by a child that moves there for a moment:
  /// call it where there are no other threads. Fails with the system's text.
  static Result<CgroupFolder> make(const std::string& parent, const std::string& name);
  CgroupFolder(CgroupFolder&&) = default;
  CgroupFolder& operator=(CgroupFolder&&) = default;

  /// A new member, in a group that is made if it isn't there. The file it returns is where a child writes `0` to be in
  /// it; closed on exec.
  Result<FileDescriptor> add(std::uint64_t group, std::uint64_t member);
  /// SIGKILL to all that is in there. False if that can't be told to the kernel.
  bool kill(std::uint64_t group, std::uint64_t member) const;
  bool kill(std::uint64_t group) const;
  /// True if it is gone; false while something in it lives.
  bool remove(std::uint64_t group, std::uint64_t member) const;
  /// With its members.
  bool remove(std::uint64_t group) const;
  const std::string& path() const { return path_; }

 private:
  CgroupFolder(std::string path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  FileDescriptor folder_;
};

/// Ends all that lives below the folder and removes it; does nothing if it isn't there. Waits for the deaths for as
/// long as `limits::guard_clear_up_max`.
void clear_cgroup(const std::string& path);

}  // namespace outpost::os
