#include "local/files/create_directory.h"

#include <cerrno>
#include <string_view>

#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "local/files/make_folders.h"
#include "os/file_entries.h"

namespace outpost::local {

namespace {

/// All that are missing, one below the other; a link on the way is no folder.
Result<> make_without_links(std::string_view path) {
  OUTPOST_TRY(descend_without_links(path, [](const os::FileDescriptor& folder, const char* name) -> Result<> {
    const auto made = os::make_folder_at(folder.get(), name);
    if (!made && made.error() != EEXIST) return fail(file_error(made.error()));
    return {};
  }));
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
