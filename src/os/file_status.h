#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "os/system_result.h"

/// What the kernel tells of a file (statx). Blocks on a slow file system; any thread.
namespace outpost::os {

/// Which file of the whole machine. The same for all names of one file, and again for a later one once it is gone.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(const struct statx& status);

/// Of the entry `name` of `folder`, a link at its end not followed.
SystemResult<struct statx> status_at(int folder, const char* name);
/// As `status_at`, a link at the end followed.
SystemResult<struct statx> target_status_at(int folder, const char* name);
/// Of an open file; O_PATH is enough.
SystemResult<struct statx> status_of(int fd);

/// Whether something is mounted right on this folder or file.
bool is_mount_root(const struct statx& status);

}  // namespace outpost::os
