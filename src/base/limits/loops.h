#pragma once

#include "base/limits/units.h"

/// Bounds of loops, timers and options.
namespace outpost::limits {

inline constexpr std::size_t events_per_turn_max = 64;           // of descriptors, told in one turn of a loop
inline constexpr std::size_t task_slots_kept = 1024;             // of a queue of tasks that was longer
inline constexpr auto fine_wait_max = 20ms;                      // above it a wait is left to a timer that stays set
inline constexpr std::size_t handlers_after_stop_max = 100'000;  // that a stopped loop still runs, if they are ready
inline constexpr auto timer_delay_max = std::chrono::hours(24 * 365 * 10);
inline constexpr double option_seconds_max = 365.0 * 24 * 3600;

}  // namespace outpost::limits
