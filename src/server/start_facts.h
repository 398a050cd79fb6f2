#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/protocol/process.h"

namespace outpost::server {

/// What is remembered of the params of a start.
struct StartFacts {
  explicit StartFacts(const wire::StartParams& params);
  std::vector<std::string> argv;  ///< its first `limits::listed_argv_bytes_max` bytes
  bool argv_truncated = false;
  bool tty = false;
  bool gave_outpost = false;
  std::int64_t started_at_ms = 0;  ///< since 1970
};

}  // namespace outpost::server
