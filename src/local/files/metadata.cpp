#include "local/files/metadata.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "local/files/file_error.h"
#include "os/fd.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr unsigned wanted_fields = STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_BTIME;

/// Whole milliseconds since 1970; 0 for what lies before.
std::int64_t milliseconds_of(const statx_timestamp& time) {
  return std::max<std::int64_t>(0, time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

wire::GetMetadataResult result_of(const struct statx& found, bool is_symlink) {
  wire::GetMetadataResult result;
  result.is_directory = S_ISDIR(found.stx_mode);
  result.is_file = S_ISREG(found.stx_mode);
  result.is_symlink = is_symlink;
  result.size = result.is_file || result.is_directory ? found.stx_size : 0;
  if ((found.stx_mask & STATX_BTIME) != 0) result.created_at_ms = milliseconds_of(found.stx_btime);
  result.modified_at_ms = milliseconds_of(found.stx_mtime);
  return result;
}

Result<struct statx> stat_at(int folder, const char* name, int flags) {
  struct statx found{};
  if (::statx(folder, name, flags | AT_NO_AUTOMOUNT, wanted_fields, &found) != 0) return fail(file_error(errno));
  return found;
}

/// The folder of the last component, reached from the root without following any link; the component is left in `path`.
Result<os::FileDescriptor> open_parent(std::string_view& path) {
  auto folder = os::open_at(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
  if (!folder) return fail(file_error(folder.error()));
  path.remove_prefix(1);
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    const std::string name(path.substr(0, slash));
    folder = os::open_at(folder->get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!folder) return fail(file_error(folder.error()));
    path.remove_prefix(slash + 1);
  }
  return *std::move(folder);
}

Result<wire::GetMetadataResult> metadata_without_links(std::string_view path) {
  const os::FileDescriptor folder = OUTPOST_TRY(open_parent(path));
  if (path.empty()) return result_of(OUTPOST_TRY(stat_at(folder.get(), "", AT_EMPTY_PATH)), false);
  const auto found = OUTPOST_TRY(stat_at(folder.get(), std::string(path).c_str(), AT_SYMLINK_NOFOLLOW));
  if (S_ISLNK(found.stx_mode)) return fail(ErrorKind::invalid_input, "path contains a symbolic link");
  return result_of(found, false);
}

}  // namespace

Result<wire::GetMetadataResult> metadata_of(const std::string& path, bool follow_symlinks) {
  if (!follow_symlinks) return metadata_without_links(path);
  const auto itself = OUTPOST_TRY(stat_at(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW));
  if (!S_ISLNK(itself.stx_mode)) return result_of(itself, false);
  return result_of(OUTPOST_TRY(stat_at(AT_FDCWD, path.c_str(), 0)), true);
}

}  // namespace outpost::local
