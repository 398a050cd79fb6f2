#include "os/file_status.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <cerrno>

namespace outpost::os {

namespace {

constexpr unsigned wanted_fields = STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID;

SystemResult<struct statx> ask(int folder, const char* name, int flags) {
  struct statx status{};
  if (::statx(folder, name, flags | AT_NO_AUTOMOUNT, wanted_fields, &status) != 0) return std::unexpected(errno);
  return status;
}

}  // namespace

FileIdentity identity_of(const struct statx& status) {
  return {.device = makedev(status.stx_dev_major, status.stx_dev_minor), .inode = status.stx_ino};
}

SystemResult<struct statx> status_at(int folder, const char* name) {
  return ask(folder, name, AT_SYMLINK_NOFOLLOW);
}

SystemResult<struct statx> target_status_at(int folder, const char* name) {
  return ask(folder, name, 0);
}

SystemResult<struct statx> status_of(int fd) {
  return ask(fd, "", AT_EMPTY_PATH);
}

bool is_mount_root(const struct statx& status) {
  return (status.stx_attributes_mask & status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace outpost::os
