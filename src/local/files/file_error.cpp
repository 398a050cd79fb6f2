#include "local/files/file_error.h"

#include <cerrno>

#include "base/utf8.h"

namespace outpost::local {

Error file_error(int error_number) {
  switch (error_number) {
    case ENOENT:
      return {ErrorKind::not_found, os_error_text(error_number)};
    case EACCES:
    case EPERM:
    case EINVAL:
      return {ErrorKind::invalid_input, os_error_text(error_number)};
    default:
      return {ErrorKind::io, os_error_text(error_number)};
  }
}

Error not_a_file(const std::string& path) {
  return {ErrorKind::invalid_input, "path `" + to_utf8_lossy(as_bytes(path)) + "` is not a file"};
}

Error no_entry_named() {
  return {ErrorKind::invalid_input, "path must name an entry"};
}

Error request_cancelled() {
  return {ErrorKind::cancelled, "request cancelled"};
}

}  // namespace outpost::local
