#include "local/files/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr int reading = O_RDONLY | O_NONBLOCK | O_NOCTTY;

Result<bool> is_regular(const os::FileDescriptor& file) {
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file.get()));
  return S_ISREG(status.stx_mode);
}

Result<os::FileDescriptor> open_without_links(const std::string& path) {
  const Entry entry = OUTPOST_TRY(entry_of(path, false));
  if (entry.name.empty()) return fail(no_entry_named());
  auto file = OUTPOST_TRY_SYSTEM(file_error, os::open_at(entry.folder.get(), entry.name.c_str(), reading | O_NOFOLLOW));
  if (!OUTPOST_TRY(is_regular(file))) return fail(ErrorKind::invalid_input, "path is not a regular file");
  return file;
}

}  // namespace

Result<os::FileDescriptor> open_regular_file(const std::string& path, bool follow_symlinks) {
  if (!follow_symlinks) return open_without_links(path);
  auto file = OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, path.c_str(), reading));
  if (!OUTPOST_TRY(is_regular(file))) return fail(not_a_file(path));
  return file;
}

}  // namespace outpost::local
