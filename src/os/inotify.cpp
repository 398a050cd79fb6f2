#include "os/inotify.h"

#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/limits/file_reads.h"
#include "os/io.h"

namespace outpost::os {

namespace {

constexpr std::uint32_t own_end = IN_DELETE_SELF | IN_MOVE_SELF;

std::uint32_t mask_of(WatchFor what) {
  switch (what) {
    case WatchFor::names:
      return IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | own_end | IN_ONLYDIR;
    case WatchFor::contents:
      return IN_MODIFY | own_end;
    case WatchFor::end:
      return own_end;
  }
  return own_end;
}

}  // namespace

SystemResult<FileDescriptor> make_inotify() {
  FileDescriptor made(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!made) return std::unexpected(errno);
  return made;
}

SystemResult<int> watch_path(int inotify, const char* path, WatchFor what) {
  const int watch = ::inotify_add_watch(inotify, path, mask_of(what) | IN_DONT_FOLLOW | IN_MASK_ADD);
  if (watch < 0) return std::unexpected(errno);
  return watch;
}

void read_events(int inotify, const std::function<void(const FileEvent&)>& take) {
  alignas(inotify_event) std::array<std::byte, limits::watch_events_bytes> buffer;
  for (;;) {
    const IoCount got = read_some(inotify, buffer);
    if (got.status != IoCount::ok) return;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= got.bytes;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = reinterpret_cast<const char*>(buffer.data() + at + sizeof event);
      take({.watch = event.wd, .name = event.len > 0 ? std::string_view(name) : std::string_view()});
      at += sizeof event + event.len;
    }
  }
}

}  // namespace outpost::os
