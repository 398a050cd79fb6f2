#pragma once

#include "base/limits/units.h"

/// Bounds of what is asked of the operating system.
namespace outpost::limits {

inline constexpr std::size_t spawn_queue_max = 4096;          // starts that wait for the spawn thread
inline constexpr std::size_t spawn_stack_bytes = 64 * kib;    // of a child until it executes its program
inline constexpr std::size_t closed_orphan_tags_max = 256;    // then it is looked which are carried
inline constexpr std::size_t small_file_bytes_max = 1 * mib;  // of /proc and the like
inline constexpr std::uint32_t orphan_tag_max = 50000;        // of nanoseconds of timer slack: stays below 100 us
inline constexpr std::size_t processes_listed_max = 262144;   // of one look at /proc
inline constexpr std::size_t tree_kill_rounds_max = 256;      // looks at /proc to end a tree
inline constexpr int listen_backlog_max = 4096;
inline constexpr long passed_sockets_max = 256;  // of a service manager
inline constexpr std::size_t password_entry_bytes_max = 1 * mib;
inline constexpr auto guard_patience = 5s;      // for a server that was asked to end; then it is killed
inline constexpr auto guard_clear_up_max = 5s;  // then the guard ends, though something doesn't die

}  // namespace outpost::limits
