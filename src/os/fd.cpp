#include "os/fd.h"

#include <unistd.h>

#include <cerrno>

namespace outpost::os {

void FileDescriptor::reset(int fd) {
  if (fd_ >= 0) {
    const int error = errno;
    // Not retried: Linux frees the number even when it reports EINTR, so a second close could hit another's descriptor.
    ::close(fd_);
    errno = error;
  }
  fd_ = fd;
}

}  // namespace outpost::os
