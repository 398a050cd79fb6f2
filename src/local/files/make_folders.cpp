#include "local/files/make_folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "local/files/file_error.h"
#include "os/file_entries.h"
#include "os/file_status.h"

namespace outpost::local {

namespace {

/// 0 if the folder is there now, else errno.
int make_one(const char* path) {
  const auto made = os::make_folder_at(AT_FDCWD, path);
  if (made || made.error() == ENOENT) return made ? 0 : ENOENT;
  const auto status = os::target_status_at(AT_FDCWD, path);
  return status && S_ISDIR(status->stx_mode) ? 0 : made.error();
}

}  // namespace

Result<> make_folders(const std::string& path) {
  // Up to the first that is there or can be made, and down again.
  std::vector<std::size_t> missing;
  std::size_t size = path.size();
  for (int error = make_one(path.c_str()); error != 0; error = make_one(path.substr(0, size).c_str())) {
    if (error != ENOENT) return fail(file_error(error));
    missing.push_back(size);
    size = path.rfind('/', size - 1);
    if (size == 0 || size == std::string::npos) break;
  }
  for (; !missing.empty(); missing.pop_back()) {
    if (const int error = make_one(path.substr(0, missing.back()).c_str())) return fail(file_error(error));
  }
  return {};
}

}  // namespace outpost::local
