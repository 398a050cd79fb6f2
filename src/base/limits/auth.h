#pragma once

#include "base/limits/units.h"

/// Bounds of the authentication of connections (processes-and-sessions 11).
namespace outpost::limits {

inline constexpr auto jwt_clock_skew = 30s;
inline constexpr std::size_t jwt_secret_bytes_least = 32;

}  // namespace outpost::limits
