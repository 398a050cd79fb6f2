#pragma once

#include "base/limits/units.h"

/// Bounds of work on files.
namespace outpost::limits {

inline constexpr std::size_t folder_buffer_bytes = 32 * kib;     // of entries that are read at once
inline constexpr std::size_t tree_open_folders_max = 32;         // of one tree that is walked
inline constexpr std::size_t tree_depth_max = 4096;              // of a tree that is copied or removed
inline constexpr std::size_t removal_rounds_max = 8;             // of a folder into which others put files meanwhile
inline constexpr int copy_attempts_max = 3;                      // of a file that changes while it is copied
inline constexpr std::size_t file_portion_bytes = 1 * mib;       // read, written or copied between two looks at a stop
inline constexpr auto stop_seen_within = 100ms;                  // by what waits for room in a FIFO
inline constexpr std::size_t followed_links_max = 40;            // fixed by Linux, path_resolution(7)
inline constexpr std::size_t file_name_bytes_max = 255;          // fixed by Linux, NAME_MAX
inline constexpr std::size_t temporary_name_tries_max = 100;     // until one is free
inline constexpr std::size_t folder_entries_listed_max = 50000;  // of one answer

}  // namespace outpost::limits
