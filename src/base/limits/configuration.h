#pragma once

#include "base/limits/units.h"

/// Bounds of what is read of a machine's configuration (environment-config 1).
namespace outpost::limits {

inline constexpr std::size_t config_paths_max = 64;
inline constexpr std::size_t config_path_keys_max = 32;
inline constexpr std::size_t config_path_bytes_max = 64 * kib;  // of all keys of a request
inline constexpr std::size_t config_answer_bytes_max = 1 * mib;
inline constexpr std::size_t config_file_bytes_max = 1 * mib;
inline constexpr std::size_t toml_nesting_max = 32;  // keys in a key with dots, and values in values

}  // namespace outpost::limits
