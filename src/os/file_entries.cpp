#include "os/file_entries.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "os/file_status.h"
#include "os/files.h"

namespace outpost::os {

namespace {

SystemResult<> outcome(int result) {
  if (result != 0) return std::unexpected(errno);
  return {};
}

SystemResult<> rename_without_replacing(int from_folder, const char* from, int to_folder, const char* to) {
  const auto status = status_at(from_folder, from);
  if (!status) return std::unexpected(status.error());
  if (!S_ISDIR(status->stx_mode)) {
    if (::linkat(from_folder, from, to_folder, to, 0) != 0) return std::unexpected(errno);
    return outcome(::unlinkat(from_folder, from, 0));
  }
  if (status_at(to_folder, to)) return std::unexpected(EEXIST);
  return outcome(::renameat(from_folder, from, to_folder, to));
}

bool is_octal(char digit) {
  return digit >= '0' && digit <= '7';
}

/// The kernel writes blanks, tabs, newlines and backslashes as three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size() && is_octal(text[at + 1]) && is_octal(text[at + 2]) &&
        is_octal(text[at + 3])) {
      plain.push_back(static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0')));
      at += 3;
    } else {
      plain.push_back(text[at]);
    }
  }
  return plain;
}

}  // namespace

SystemResult<FileDescriptor> create_at(int folder, const char* name, int flags, unsigned mode) {
  for (;;) {
    const int fd = ::openat(folder, name, flags | O_CREAT | O_CLOEXEC, static_cast<mode_t>(mode));
    if (fd >= 0) return FileDescriptor(fd);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

SystemResult<> make_folder_at(int folder, const char* name) {
  return outcome(::mkdirat(folder, name, 0777));
}

SystemResult<> remove_file_at(int folder, const char* name) {
  return outcome(::unlinkat(folder, name, 0));
}

SystemResult<> remove_folder_at(int folder, const char* name) {
  return outcome(::unlinkat(folder, name, AT_REMOVEDIR));
}

SystemResult<std::string> read_link_at(int folder, const char* name) {
  std::string text(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(folder, name, text.data(), text.size());
  if (size < 0) return std::unexpected(errno);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

SystemResult<> make_link_at(const char* text, int folder, const char* name) {
  return outcome(::symlinkat(text, folder, name));
}

SystemResult<> rename_at(int from_folder, const char* from, int to_folder, const char* to, Replace replace) {
  if (replace == Replace::yes) return outcome(::renameat(from_folder, from, to_folder, to));
  if (::renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return std::unexpected(errno);
  return rename_without_replacing(from_folder, from, to_folder, to);
}

SystemResult<std::string> path_of(int fd) {
  return read_link_at(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str());
}

std::vector<std::string> mount_points() {
  const auto text = read_small_file("/proc/self/mountinfo");
  return text ? mount_points_in(*text) : std::vector<std::string>();
}

std::vector<std::string> mount_points_in(std::string_view mountinfo) {
  std::vector<std::string> points;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    // proc(5): mount id, parent's id, device, root within the file system, mount point.
    for (int field = 0; field < 4; ++field) {
      const std::size_t blank = line.find(' ');
      line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
    }
    if (!line.empty()) points.push_back(unescaped(line.substr(0, line.find(' '))));
  }
  return points;
}

}  // namespace outpost::os
