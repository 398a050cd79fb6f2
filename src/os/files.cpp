#include "os/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/limits/system.h"
#include "os/io.h"

namespace outpost::os {

std::expected<FileDescriptor, int> open_at(int folder, const char* name, int flags) {
  for (;;) {
    const int fd = ::openat(folder, name, flags | O_CLOEXEC);
    if (fd >= 0) return FileDescriptor(fd);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

int write_access(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
}

Result<std::string> read_small_file(const char* path) {
  const auto file = open_at(AT_FDCWD, path, O_RDONLY);
  if (!file) return fail(ErrorKind::io, os_error_text(file.error()));
  std::string text;
  std::array<std::byte, 4096> part;
  while (text.size() < limits::small_file_bytes_max) {
    const IoCount count = read_some(file->get(), part);
    if (count.status == IoCount::end) return text;
    if (count.status != IoCount::ok) return fail(ErrorKind::io, os_error_text(count.error));
    text += as_text(ByteView(part).first(count.bytes));
  }
  return text;
}

}  // namespace outpost::os
