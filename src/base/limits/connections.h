#pragma once

#include "base/limits/units.h"

/// Bounds of connections and listeners.
namespace outpost::limits {

inline constexpr std::size_t requests_in_flight_max = 1024;
inline constexpr std::size_t request_bytes_in_flight_max = 32 * mib;  // above it no further request is read
inline constexpr std::size_t pending_connections_max = 64;
inline constexpr auto handshake_timeout = 10s;
inline constexpr std::size_t outgoing_bytes_soft = 512 * kib;  // above it nothing that can wait is added
inline constexpr std::size_t outgoing_bytes_busy = 8 * mib;    // above it no further request is read
inline constexpr std::size_t spare_buffers_max = 2;            // outgoing buffers that a loop keeps for the next one
inline constexpr std::size_t spare_buffer_bytes_max = 2 * mib;
inline constexpr std::size_t accepts_per_turn_max = 64;
inline constexpr auto accept_pause = 100ms;              // after the process ran out of descriptors
inline constexpr std::size_t receive_bytes = 256 * kib;  // one read of a socket
inline constexpr auto ping_interval = 20s;
inline constexpr std::size_t stdio_bytes_carried = 64 * kib;  // by one read of stdin, or of what goes to stdout
inline constexpr auto stdio_end_wait = 1s;                    // for a stdout that takes nothing, at the end

}  // namespace outpost::limits
