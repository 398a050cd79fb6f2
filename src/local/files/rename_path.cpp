#include "local/files/rename_path.h"

#include <cerrno>

#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "os/file_entries.h"

namespace outpost::local {

Result<> rename_path(const std::string& source, const std::string& destination, bool replace) {
  const Entry from = OUTPOST_TRY(entry_of(source, true));
  const Entry to = OUTPOST_TRY(entry_of(destination, true));
  // The root can't be renamed; over it nothing can be put.
  if (from.name.empty()) return fail(file_error(EBUSY));
  if (to.name.empty()) return fail(file_error(replace ? EBUSY : EEXIST));
  OUTPOST_CHECK_SYSTEM(file_error, os::rename_at(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str(),
                                                 replace ? os::Replace::yes : os::Replace::no));
  return {};
}

}  // namespace outpost::local
