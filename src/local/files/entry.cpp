#include "local/files/entry.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/limits/files.h"
#include "local/files/file_error.h"
#include "os/file_entries.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr int folder_flags = O_PATH | O_DIRECTORY;

/// The entry that the text of a link in `folder` names.
Result<Entry> entry_of_link(const os::FileDescriptor& folder, const std::string& text) {
  const std::size_t slash = text.rfind('/');
  std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
  // `x/`, `x/.` and `x/..` can name nothing but a folder.
  if (name.empty() || name == "." || name == "..") return fail(file_error(EISDIR));
  const std::string parent = slash == std::string::npos ? "." : text.substr(0, slash + 1);
  return Entry{OUTPOST_TRY_SYSTEM(file_error, os::open_at(folder.get(), parent.c_str(), folder_flags)),
               std::move(name)};
}

}  // namespace

Result<os::FileDescriptor> descend_without_links(
    std::string_view path,
    const std::function<Result<>(const os::FileDescriptor& folder, const char* name)>& on_missing) {
  auto folder = OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, "/", folder_flags));
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string name(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (name.empty()) continue;
    auto next = os::open_at(folder.get(), name.c_str(), folder_flags | O_NOFOLLOW);
    if (!next && next.error() == ENOENT && on_missing) {
      OUTPOST_CHECK_OK(on_missing(folder, name.c_str()));
      next = os::open_at(folder.get(), name.c_str(), folder_flags | O_NOFOLLOW);
    }
    folder = OUTPOST_TRY_SYSTEM(file_error, std::move(next));
  }
  return folder;
}

Result<Entry> entry_of(const std::string& path, bool follow_symlinks) {
  const std::size_t slash = path.rfind('/');
  const std::string parent = path.substr(0, slash + 1);
  os::FileDescriptor folder;
  if (follow_symlinks) {
    folder = OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, parent.c_str(), folder_flags));
  } else {
    folder = OUTPOST_TRY(descend_without_links(parent));
  }
  return Entry{std::move(folder), path.substr(slash + 1)};
}

Result<Entry> target_entry(Entry entry) {
  // The kernel refuses to follow some links, as those of others in /tmp, and knows some that are no text, as in
  // /proc/self/fd. So it is asked where they lead.
  const auto target = os::target_status_at(entry.folder.get(), entry.name.c_str());
  if (!target && target.error() != ENOENT) return fail(file_error(target.error()));
  for (std::size_t followed = 0; followed <= limits::followed_links_max; ++followed) {
    const auto status = os::status_at(entry.folder.get(), entry.name.c_str());
    if (!status && status.error() != ENOENT) return fail(file_error(status.error()));
    if (!status || !S_ISLNK(status->stx_mode)) {
      if (target && (!status || os::identity_of(*status) != os::identity_of(*target))) return fail(file_error(ENOTSUP));
      return entry;
    }
    const std::string text = OUTPOST_TRY_SYSTEM(file_error, os::read_link_at(entry.folder.get(), entry.name.c_str()));
    entry = OUTPOST_TRY(entry_of_link(entry.folder, text));
  }
  return fail(file_error(ELOOP));
}

}  // namespace outpost::local
