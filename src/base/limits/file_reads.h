#pragma once

#include "base/limits/units.h"

/// Bounds of reading files, of handles, walks and watches, and of the threads that do it (filesystem 5).
namespace outpost::limits {

inline constexpr std::size_t file_workers = 16;             // threads for work on files, of the whole server
inline constexpr std::size_t file_workers_ceiling = 1024;   // of the option
inline constexpr std::size_t file_work_waiting_max = 2048;  // of one connection, with what was cancelled and still runs
inline constexpr auto file_worker_idle = 10s;               // then a thread ends
inline constexpr auto file_workers_end_wait = 1s;           // for work under way at the end of the server
inline constexpr std::size_t read_file_bytes_max = 512 * mib;  // of fs/readFile
inline constexpr std::size_t read_here_bytes_max = 1 * mib;    // read or written on a loop; more goes to a thread
inline constexpr std::size_t list_here_entries_max = 256;      // listed on a loop
inline constexpr std::size_t first_read_bytes = 64 * kib;      // of a file that doesn't tell its size
inline constexpr std::size_t handle_id_bytes_max = 32;
inline constexpr std::size_t file_handles_max = 128;  // of one connection
inline constexpr std::size_t file_block_bytes_max = 1 * mib;
inline constexpr std::size_t walk_depth_max = 64;
inline constexpr std::size_t walk_directories_max = 10000;
inline constexpr std::size_t walk_entries_max = 50000;
inline constexpr std::size_t walk_answer_bytes_max = 4 * mib;
inline constexpr std::size_t walk_item_bytes = 64;  // what an item of the answer costs beside its texts
inline constexpr std::size_t missing_paths_max = 64;
inline constexpr std::size_t watch_events_bytes = 4 * kib;  // read of inotify at once

}  // namespace outpost::limits
