#include "local/files/set_metadata.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "os/file_attributes.h"
#include "os/file_contents.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

Result<> change_size(const Entry& entry, const char* name, const std::string& path, std::uint64_t size, int follow) {
  const auto file =
      OUTPOST_TRY_SYSTEM(file_error, os::open_at(entry.folder.get(), name, O_WRONLY | O_NONBLOCK | O_NOCTTY | follow));
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file.get()));
  if (!S_ISREG(status.stx_mode)) return fail(not_a_file(path));
  OUTPOST_CHECK_SYSTEM(file_error, os::set_size(file.get(), size));
  return {};
}

}  // namespace

Result<> set_metadata(const std::string& path, const MetadataChange& change) {
  if (!change.mode && !change.modified_at_ms && !change.size) {
    return fail(ErrorKind::invalid_params, "mode, modifiedAtMs or size is required");
  }
  const Entry entry = OUTPOST_TRY(entry_of(path, change.follow_symlinks));
  const char* name = entry.name.empty() ? "." : entry.name.c_str();
  const auto links = change.follow_symlinks ? os::Links::follow : os::Links::keep;
  if (!change.follow_symlinks) {
    const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_at(entry.folder.get(), name));
    // Looked at first, so that nothing is changed by half.
    if (S_ISLNK(status.stx_mode) && (change.mode || change.size)) return fail(file_error(EOPNOTSUPP));
  }
  if (change.size) {
    OUTPOST_CHECK_OK(change_size(entry, name, path, *change.size, change.follow_symlinks ? 0 : O_NOFOLLOW));
  }
  if (change.mode) {
    OUTPOST_CHECK_SYSTEM(file_error, os::set_mode_at(entry.folder.get(), name, *change.mode, links));
  }
  if (change.modified_at_ms) {
    OUTPOST_CHECK_SYSTEM(file_error, os::set_modified_at(entry.folder.get(), name, *change.modified_at_ms, links));
  }
  return {};
}

}  // namespace outpost::local
