#include "base/result.h"

#include <cstring>

namespace outpost {

std::string os_error_text(int error_number) {
  // strerror_r of glibc returns its text; it never fails for the numbers that the kernel gives.
  char buffer[128];
  const char* text = ::strerror_r(error_number, buffer, sizeof buffer);
  return std::string(text) + " (os error " + std::to_string(error_number) + ")";
}

}  // namespace outpost
