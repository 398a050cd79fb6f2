#pragma once

#include "base/limits/units.h"

/// Bounds of loops, timers and options.
namespace outpost::limits {

inline constexpr int handlers_after_stop_max = 100'000;  // that a stopped loop still runs, if they are ready
inline constexpr auto timer_delay_max = std::chrono::hours(24 * 365 * 10);
inline constexpr double option_seconds_max = 365.0 * 24 * 3600;

}  // namespace outpost::limits
