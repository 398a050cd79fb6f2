#include "os/mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "os/files.h"

namespace outpost::os {

namespace {

constexpr const char* mountinfo = "/proc/self/mountinfo";

std::string_view next_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

/// Blanks, newlines and backslashes are written as three octal digits.
std::string unescaped(std::string_view text) {
  constexpr std::size_t digits = 3;  // fixed by proc(5)
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* first = text.data() + at + 1;
    if (text[at] == '\\' && at + digits < text.size() &&
        std::from_chars(first, first + digits, value, 8).ptr == first + digits) {
      out += static_cast<char>(value);
      at += digits;
    } else {
      out += text[at];
    }
  }
  return out;
}

}  // namespace

std::vector<Mount> mounts_in(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    for (int skipped = 0; skipped < 4; ++skipped) next_word(line);  // fixed by proc(5)
    const std::string_view point = next_word(line);
    const std::size_t separator = line.find("- ");
    if (point.empty() || separator == std::string_view::npos) continue;
    line.remove_prefix(separator + 2);
    mounts.push_back({unescaped(point), unescaped(next_word(line))});
  }
  return mounts;
}

bool MountWatch::changed() {
  if (!file_) {
    auto opened = open_at(AT_FDCWD, mountinfo, O_RDONLY);
    if (opened) file_ = *std::move(opened);
    return true;
  }
  pollfd entry{.fd = file_.get(), .events = POLLPRI, .revents = 0};
  return ::poll(&entry, 1, 0) != 0;
}

SystemResult<std::vector<Mount>> MountWatch::read() const {
  const auto text = read_small_file(mountinfo);
  if (!text) return std::unexpected(EIO);
  return mounts_in(*text);
}

SystemResult<bool> reached_without_links(const char* path) {
  const open_how how{.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW, .mode = 0, .resolve = RESOLVE_NO_SYMLINKS};
  const FileDescriptor found(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how)));
  if (found) return true;
  if (errno == ENOENT) return std::unexpected(ENOENT);
  return false;
}

}  // namespace outpost::os
