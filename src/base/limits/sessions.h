#pragma once

#include "base/limits/units.h"

/// Bounds of sessions.
namespace outpost::limits {

inline constexpr auto session_retention = 80s;
inline constexpr auto session_retention_max = 24h;
inline constexpr std::size_t sessions_max = 4096;
inline constexpr std::size_t processes_per_session_max = 1024;
inline constexpr std::size_t processes_max = 4096;

}  // namespace outpost::limits
