#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace outpost {

void check_failed(const char* what, std::source_location where) {
  std::fprintf(stderr, "outpost: internal check failed: %s (%s:%u)\n", what, where.file_name(), where.line());
  std::abort();
}

}  // namespace outpost
