#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/mounts.h"

namespace outpost::local {

/// Which paths surely lie on file systems of this machine, that answer at once: work on others may block for good and
/// needs a thread. What is mounted is looked at anew when it changes. Belongs to one thread.
class LocalMounts {
 public:
  /// Whether a call on `path`, links followed, can't meet a file system that isn't local.
  bool is_local(const std::string& path);
  /// Whether no file system is mounted that isn't local.
  bool all_local();
  /// Whether changes in `path`, which leads through no link, are told by inotify: it is local, and no view of the
  /// kernel as /proc.
  bool tells_changes(const std::string& path);

  /// The type of the mount that `path` lies on by its text; empty if none is known.
  static std::string_view type_of(const std::vector<os::Mount>& mounts, std::string_view path);

 private:
  void refresh();

  os::MountWatch watch_;
  std::vector<os::Mount> mounts_;
  bool all_local_ = false;
  bool stale_ = false;  // the table changed and couldn't be read
};

}  // namespace outpost::local
