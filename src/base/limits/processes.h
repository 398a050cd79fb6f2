#pragma once

#include "base/limits/units.h"

/// Bounds of processes, of their output and of their input.
namespace outpost::limits {

inline constexpr std::size_t output_chunk_bytes_max = 64 * kib;
inline constexpr std::size_t default_pipe_bytes = 64 * kib;      // the kernel's
inline constexpr std::size_t fast_pipe_bytes = 1 * mib;          // of a pipe that moves much
inline constexpr std::size_t output_turn_bytes = 256 * kib;      // that one stream gives in one turn of its loop
inline constexpr std::size_t output_populate_bytes = 128 * kib;  // of a log's memory that are asked for ahead
inline constexpr std::size_t retained_output_bytes = 1 * mib;
inline constexpr std::size_t retained_output_entries_max = 32768;
inline constexpr std::size_t process_retention_least = 64 * kib;  // that a client may ask for
inline constexpr std::size_t process_retention_max = 32 * mib;
inline constexpr std::size_t process_retention_ceiling = 40 * mib;  // a whole log fits in one message, as base64
inline constexpr std::size_t retained_bytes_everywhere_max = 1024 * mib;
inline constexpr std::size_t retained_bytes_everywhere_least = 1 * mib;
inline constexpr std::size_t retained_bytes_everywhere_most = std::size_t{1} << 50;
inline constexpr auto relief_pause = 20ms;                   // between looks for room while too much is retained
inline constexpr std::size_t retained_process_bytes = 4096;  // that a process counts beside its output
inline constexpr std::size_t output_head_bytes = 16 * kib;   // of the first output, for views
inline constexpr std::size_t output_tail_bytes_max = 1 * mib;
inline constexpr std::int64_t process_timeout_max_ms = 2'592'000'000;  // 30 days
inline constexpr std::int64_t grace_max_ms = 60'000;
inline constexpr auto timeout_grace = 2s;
inline constexpr std::size_t listed_argv_bytes_max = 4096;
inline constexpr std::size_t stdin_chunks_max = 128;
inline constexpr std::size_t stdin_bytes_max = 16 * mib;
inline constexpr std::size_t write_ids_remembered = 4096;
inline constexpr std::size_t write_id_bytes_kept = 64;  // a longer one is remembered by its digest
inline constexpr std::size_t waiting_reads_per_process_max = 256;

}  // namespace outpost::limits
