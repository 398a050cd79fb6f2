#pragma once

#include "base/limits/units.h"

/// Bounds of messages and of what carries them (processes-and-sessions 1.3, 1.5).
namespace outpost::limits {

inline constexpr std::size_t message_bytes_max = 64 * mib;
inline constexpr std::size_t discarded_message_bytes_max = 1024 * mib;
inline constexpr std::size_t message_values_max = 262144;
inline constexpr std::size_t message_depth_max = 127;
inline constexpr std::size_t json_nodes_kept = 1024;           // of a parsed message, for the next one
inline constexpr std::size_t json_text_bytes_kept = 16 * kib;  // of decoded strings, for the next message
inline constexpr std::size_t quoted_text_bytes_max = 1024;     // of the other side's text in an error
inline constexpr std::size_t control_frame_bytes_max = 125;    // RFC 6455, 5.5
inline constexpr std::size_t http_head_bytes_max = 16 * kib;
inline constexpr std::size_t path_uri_bytes_max = 64 * kib;
inline constexpr std::size_t http_headers_max = 100;  // above: 431, as the reference

}  // namespace outpost::limits
