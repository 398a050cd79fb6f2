#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace outpost {

std::string os_error_text(int error_number) {
  // The reference's texts are musl's; clients should match the number, but some look at the words.
  switch (error_number) {
    case EADDRINUSE:
      return "Address in use (os error " + std::to_string(error_number) + ")";
    case EBUSY:
      return "Resource busy (os error " + std::to_string(error_number) + ")";
    case ELOOP:
      return "Symbolic link loop (os error " + std::to_string(error_number) + ")";
    case ENAMETOOLONG:
      return "Filename too long (os error " + std::to_string(error_number) + ")";
    default:
      break;
  }
  // strerror_r of glibc returns its text; it never fails for the numbers that the kernel gives.
  char buffer[128];
  const char* text = ::strerror_r(error_number, buffer, sizeof buffer);
  return std::string(text) + " (os error " + std::to_string(error_number) + ")";
}

}  // namespace outpost
