#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/fd.h"
#include "os/system_result.h"

/// What is mounted where, in the notation of this process.
namespace outpost::os {

struct Mount {
  std::string point;
  std::string type;  ///< `ext4`, `nfs4`, …
};
/// What /proc/self/mountinfo says, in its order: a later one hides an earlier one of the same place. A line that can't
/// be read is left out.
std::vector<Mount> mounts_in(std::string_view mountinfo);

/// Tells of changes, by an open /proc/self/mountinfo. Belongs to one thread.
class MountWatch {
 public:
  /// Whether something was mounted or unmounted since the last call; true at the first, and always without /proc.
  bool changed();
  /// False: there is no /proc, and nothing is known.
  bool works() const { return static_cast<bool>(file_); }
  /// All mounts now.
  SystemResult<std::vector<Mount>> read() const;

 private:
  FileDescriptor file_;
};

/// Whether `path` exists and is reached without following a link. It isn't opened. False where the kernel can't tell
/// (before Linux 5.6). ENOENT is an error.
SystemResult<bool> reached_without_links(const char* path);

}  // namespace outpost::os
