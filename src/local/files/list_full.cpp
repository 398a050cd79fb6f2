#include "local/files/list_full.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/limits/files.h"
#include "local/files/file_error.h"
#include "os/file_entries.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

using Kind = os::FolderReader::Kind;

constexpr unsigned permission_bits = 07777;  // fixed by POSIX, chmod

Kind kind_of(unsigned mode) {
  if (S_ISDIR(mode)) return Kind::folder;
  if (S_ISLNK(mode)) return Kind::link;
  if (S_ISFIFO(mode)) return Kind::fifo;
  if (S_ISSOCK(mode)) return Kind::socket;
  if (S_ISBLK(mode)) return Kind::block_device;
  return S_ISCHR(mode) ? Kind::character_device : Kind::file;
}

std::int64_t milliseconds_of(const statx_timestamp& time) {
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

/// False if the entry is gone.
bool look_at(int folder, FullEntry& entry) {
  const auto status = os::status_at(folder, entry.name.c_str());
  if (!status) {
    if (entry.kind == Kind::unknown) entry.kind = Kind::file;
    return status.error() != ENOENT;
  }
  entry.kind = kind_of(status->stx_mode);
  entry.size = status->stx_size;
  entry.mode = status->stx_mode & permission_bits;
  entry.modified_at_ms = milliseconds_of(status->stx_mtime);
  if (entry.kind != Kind::link) return true;
  auto text = os::read_link_at(folder, entry.name.c_str());
  if (text) entry.link_target = *std::move(text);
  return true;
}

}  // namespace

Result<std::vector<FullEntry>> list_directory_full(const std::string& path, const std::stop_token& stop) {
  const auto folder = OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY));
  os::FolderReader reader(folder.get());
  std::vector<FullEntry> entries;
  std::size_t count = 0;
  for (;;) {
    if (stop.stop_requested()) return fail(request_cancelled());
    const auto next = OUTPOST_TRY_SYSTEM(file_error, reader.next());
    if (!next) break;
    if (++count > limits::folder_entries_listed_max) continue;
    FullEntry entry;
    entry.name = next->name;
    entry.kind = next->kind;
    if (look_at(folder.get(), entry)) entries.push_back(std::move(entry));
  }
  if (count > limits::folder_entries_listed_max) {
    return fail(ErrorKind::io, "fs/readDirectory returned " + std::to_string(count) + " entries; limit is " +
                                   std::to_string(limits::folder_entries_listed_max));
  }
  std::ranges::sort(entries, {}, &FullEntry::name);
  return entries;
}

}  // namespace outpost::local
