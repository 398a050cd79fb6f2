#include "local/files/create_directory.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "local/files/make_folders.h"
#include "os/file_entries.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr int folder_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW;

/// All that are missing, one below the other; a link on the way is no folder.
Result<> make_without_links(std::string_view path) {
  auto folder = OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, "/", folder_flags));
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string name(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (name.empty()) continue;
    auto next = os::open_at(folder.get(), name.c_str(), folder_flags);
    if (!next && next.error() == ENOENT) {
      const auto made = os::make_folder_at(folder.get(), name.c_str());
      if (!made && made.error() != EEXIST) return fail(file_error(made.error()));
      next = os::open_at(folder.get(), name.c_str(), folder_flags);
    }
    folder = OUTPOST_TRY_SYSTEM(file_error, std::move(next));
  }
  return {};
}

}  // namespace

Result<> create_directory(const std::string& path, bool recursive, bool follow_symlinks) {
  if (recursive) return follow_symlinks ? make_folders(path) : make_without_links(path);
  const Entry entry = OUTPOST_TRY(entry_of(path, follow_symlinks));
  if (entry.name.empty()) return fail(file_error(EEXIST));
  OUTPOST_CHECK_SYSTEM(file_error, os::make_folder_at(entry.folder.get(), entry.name.c_str()));
  return {};
}

}  // namespace outpost::local
