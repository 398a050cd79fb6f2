#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every bound of the product is in this folder, a header for each part of it, with its unit in its name or type. A
/// bound that an option can move is its default here.
namespace outpost::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

}  // namespace outpost::limits
