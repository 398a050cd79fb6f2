#pragma once

#include "base/limits/units.h"

/// Bounds of the client and of the commands of `outpost`.
namespace outpost::limits {

inline constexpr std::size_t events_waiting_max = 256;  // of one process, for an earlier one
inline constexpr std::size_t event_bytes_waiting_max = 1 * mib;
inline constexpr std::size_t event_bytes_max = 1 * mib;     // of one event, also of one in its turn
inline constexpr std::size_t output_bytes_ahead = 1 * mib;  // of `outpost run`; above it nothing more is read
inline constexpr std::size_t stdin_chunks_ahead = 8;        // of `outpost run`, that the far machine hasn't taken
inline constexpr auto connect_timeout = 10s;
inline constexpr auto interrupt_again = 2s;  // a second ^C within it ends the command
inline constexpr auto run_end_wait = 2s;     // for the far machine and our readers, once `outpost run` is to end

}  // namespace outpost::limits
