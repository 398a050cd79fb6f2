#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every bound of the product, with its unit in its name or type. A bound that an option can move is its default here.
namespace outpost::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

// Messages (processes-and-sessions 1.3, 1.5)
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

// Connections
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

// Processes
inline constexpr std::size_t output_chunk_bytes_max = 64 * kib;
inline constexpr std::size_t default_pipe_bytes = 64 * kib;  // the kernel's
inline constexpr std::size_t fast_pipe_bytes = 1 * mib;      // of a pipe that moves much
inline constexpr std::size_t output_turn_bytes = 256 * kib;  // that one stream gives in one turn of its loop
inline constexpr std::size_t retained_output_bytes = 1 * mib;
inline constexpr std::size_t retained_output_entries_max = 32768;
inline constexpr std::size_t process_retention_least = 64 * kib;  // that a client may ask for
inline constexpr std::size_t process_retention_max = 32 * mib;
inline constexpr std::size_t process_retention_ceiling = 40 * mib;  // a whole log fits in one message, as base64
inline constexpr std::size_t retained_bytes_everywhere_max = 1024 * mib;
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

// Clients
inline constexpr std::size_t events_waiting_max = 256;  // of one process, for an earlier one
inline constexpr std::size_t event_bytes_waiting_max = 1 * mib;
inline constexpr std::size_t event_bytes_max = 1 * mib;     // of one event, also of one in its turn
inline constexpr std::size_t output_bytes_ahead = 1 * mib;  // of `outpost run`; above it nothing more is read
inline constexpr std::size_t stdin_chunks_ahead = 8;        // of `outpost run`, that the far machine hasn't taken
inline constexpr auto connect_timeout = 10s;
inline constexpr auto interrupt_again = 2s;  // a second ^C within it ends the command
inline constexpr auto run_end_wait = 2s;     // for the far machine and our readers, once `outpost run` is to end

// Sessions
inline constexpr auto session_retention = 80s;
inline constexpr auto session_retention_max = 24h;
inline constexpr std::size_t sessions_max = 4096;
inline constexpr std::size_t processes_per_session_max = 1024;
inline constexpr std::size_t processes_max = 4096;

// Loops and options
inline constexpr int handlers_after_stop_max = 100'000;  // that a stopped loop still runs, if they are ready
inline constexpr auto timer_delay_max = std::chrono::hours(24 * 365 * 10);
inline constexpr double option_seconds_max = 365.0 * 24 * 3600;

// Operating system
inline constexpr std::size_t spawn_queue_max = 4096;          // starts that wait for the spawn thread
inline constexpr std::size_t spawn_stack_bytes = 64 * kib;    // of a child until it executes its program
inline constexpr std::size_t closed_orphan_tags_max = 256;    // then it is looked which are carried
inline constexpr std::size_t small_file_bytes_max = 1 * mib;  // of /proc and the like
inline constexpr std::uint32_t orphan_tag_max = 50000;        // of nanoseconds of timer slack: stays below 100 us
inline constexpr std::size_t processes_listed_max = 262144;   // of one look at /proc
inline constexpr std::size_t tree_kill_rounds_max = 256;      // looks at /proc to end a tree
inline constexpr int listen_backlog_max = 4096;
inline constexpr std::size_t password_entry_bytes_max = 1 * mib;
inline constexpr auto guard_patience = 5s;      // for a server that was asked to end; then it is killed
inline constexpr auto guard_clear_up_max = 5s;  // then the guard ends, though something doesn't die

}  // namespace outpost::limits
