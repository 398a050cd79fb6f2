#pragma once

#include <source_location>

namespace outpost {

/// Ends the program with the place and the text. For faults of ours only: input from outside never meets a check.
[[noreturn]] void check_failed(const char* what, std::source_location where = std::source_location::current());

}  // namespace outpost

#define OUTPOST_CHECK(condition)           \
  do {                                     \
    if (!(condition)) [[unlikely]]         \
      ::outpost::check_failed(#condition); \
  } while (false)

#ifdef OUTPOST_DEBUG_CHECKS
#define OUTPOST_DCHECK(condition) OUTPOST_CHECK(condition)
#else
#define OUTPOST_DCHECK(condition) \
  do {                            \
  } while (false)
#endif
