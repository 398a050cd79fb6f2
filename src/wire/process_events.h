#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/protocol/process.h"
#include "wire/request_id.h"

namespace outpost::wire {

// The messages that carry output, written straight into the outgoing buffer: the bytes of a process are touched once,
// by the base64 encoder. A `*_size` is exact; the `write_*` of the same arguments fills that many bytes and returns the
// place behind them. `process_id_json` is the id of the process as a JSON string, quotes included, made once
// (`append_json_string`).

/// `process/output` (processes-and-sessions 6).
std::size_t output_notification_size(std::string_view process_id_json, std::uint64_t seq, OutputStream stream,
                                     std::size_t chunk_bytes);
char* write_output_notification(char* out, std::string_view process_id_json, std::uint64_t seq, OutputStream stream,
                                ByteView chunk);

/// `process/exited`. `outpost_json`: the value of its member `outpost` (extensions 4.3, 12); empty for none.
std::size_t exited_notification_size(std::string_view process_id_json, std::uint64_t seq, int exit_code,
                                     bool sandbox_denied, std::string_view outpost_json);
char* write_exited_notification(char* out, std::string_view process_id_json, std::uint64_t seq, int exit_code,
                                bool sandbox_denied, std::string_view outpost_json);

/// The member `outpost` of what tells an exit; empty for a process that ended by itself.
std::string ended_by_json(EndedBy ended_by);

/// `process/closed`.
std::size_t closed_notification_size(std::string_view process_id_json, std::uint64_t seq);
char* write_closed_notification(char* out, std::string_view process_id_json, std::uint64_t seq);

/// One item of `chunks` in the answer to process/read.
struct ReadChunk {
  std::uint64_t seq = 0;
  OutputStream stream{};
  ByteView bytes = {};
};

/// The answer to process/read (processes-and-sessions 7). Borrows what it shows.
struct ReadAnswer {
  std::span<const ReadChunk> chunks = {};
  std::uint64_t next_seq = 1;
  bool exited = false;
  std::optional<int> exit_code = {};
  bool closed = false;
  std::optional<std::string_view> failure = {};
  bool sandbox_denied = false;
  std::string_view outpost_json = {};  ///< the value of the member `outpost`; empty for none
};

std::size_t read_answer_size(const RequestId& id, const ReadAnswer& answer);
char* write_read_answer(char* out, const RequestId& id, const ReadAnswer& answer);

}  // namespace outpost::wire
