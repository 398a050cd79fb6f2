#pragma once

#include "base/limits/units.h"

/// Bounds of receipts and of what tells living connections from dead ones (extensions 5, 6).
namespace outpost::limits {

inline constexpr std::size_t bytes_between_marks = 256 * kib;  // of messages that carry what happened to processes
inline constexpr std::size_t marks_outstanding_max = 64;
inline constexpr auto backlog_wait = 30s;       // for a resumed client to read what it missed
inline constexpr int silent_intervals_max = 3;  // of pings, until a peer counts as dead
inline constexpr auto ping_interval_max = 3600s;
inline constexpr auto resume_probe = 2s;
inline constexpr std::size_t resume_probe_max_ms = 10'000;
inline constexpr auto taken_poll = 10ms;  // pause between looks at what the peer's system took

}  // namespace outpost::limits
