#include "os/files.h"

#include <fcntl.h>

#include <cerrno>

namespace outpost::os {

std::expected<FileDescriptor, int> open_at(int folder, const char* name, int flags) {
  for (;;) {
    const int fd = ::openat(folder, name, flags | O_CLOEXEC);
    if (fd >= 0) return FileDescriptor(fd);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

}  // namespace outpost::os
