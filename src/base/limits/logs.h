#pragma once

#include "base/limits/units.h"

/// Bounds of the log.
namespace outpost::limits {

inline constexpr std::size_t log_value_bytes_max = 1024;  // of one value of an event
inline constexpr std::size_t log_bytes_waiting_max =
    1 * mib;                                 // for a stderr that takes nothing; then events are dropped
inline constexpr auto log_end_wait = 200ms;  // for what waits, at the end of the program

}  // namespace outpost::limits
