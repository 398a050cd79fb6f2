#include "wire/process_events.h"

#include "base/base64.h"
#include "wire/codec.h"
#include "wire/field_names.h"
#include "wire/json_writer.h"

namespace outpost::wire {

namespace {

constexpr std::string_view output_head = R"({"method":"process/output","params":{"processId":)";
constexpr std::string_view exited_head = R"({"method":"process/exited","params":{"processId":)";
constexpr std::string_view closed_head = R"({"method":"process/closed","params":{"processId":)";
constexpr std::string_view seq_head = R"(,"seq":)";
constexpr std::string_view stream_head = R"(,"stream":")";
constexpr std::string_view chunk_head = R"(","chunk":")";
constexpr std::string_view exit_code_head = R"(,"exitCode":)";
constexpr std::string_view sandbox_denied_head = R"(,"sandboxDenied":)";

constexpr std::string_view outpost_head = R"(,"outpost":)";

constexpr std::string_view read_head = R"({"id":)";
constexpr std::string_view chunks_head = R"(,"result":{"chunks":[)";
constexpr std::string_view item_head = R"({"seq":)";
constexpr std::string_view next_seq_head = R"(],"nextSeq":)";
constexpr std::string_view read_exited_head = R"(,"exited":)";
constexpr std::string_view closed_state_head = R"(,"closed":)";
constexpr std::string_view failure_head = R"(,"failure":)";

std::string_view bool_text(bool value) {
  return value ? "true" : "false";
}

std::size_t integer_size(int value) {
  return decimal_size(std::int64_t{value});
}

char* write_chunk_text(char* out, ByteView chunk) {
  base64::encode(chunk, out);
  return out + base64::encoded_size(chunk.size());
}

std::size_t outpost_size(std::string_view json) {
  return json.empty() ? 0 : outpost_head.size() + json.size();
}

char* write_outpost(char* out, std::string_view json) {
  return json.empty() ? out : write_raw(write_raw(out, outpost_head), json);
}

std::size_t item_size(const ReadChunk& chunk) {
  return item_head.size() + decimal_size(chunk.seq) + stream_head.size() + detail::enum_name(chunk.stream).size() +
         chunk_head.size() + base64::encoded_size(chunk.bytes.size()) + 2;
}

char* write_item(char* out, const ReadChunk& chunk) {
  out = write_raw(out, item_head);
  out = write_decimal(out, chunk.seq);
  out = write_raw(out, stream_head);
  out = write_raw(out, detail::enum_name(chunk.stream));
  out = write_raw(out, chunk_head);
  out = write_chunk_text(out, chunk.bytes);
  return write_raw(out, "\"}");
}

}  // namespace

std::size_t output_notification_size(std::string_view process_id_json, std::uint64_t seq, OutputStream stream,
                                     std::size_t chunk_bytes) {
  return output_head.size() + process_id_json.size() + seq_head.size() + decimal_size(seq) + stream_head.size() +
         detail::enum_name(stream).size() + chunk_head.size() + base64::encoded_size(chunk_bytes) + 3;
}

char* write_output_notification(char* out, std::string_view process_id_json, std::uint64_t seq, OutputStream stream,
                                ByteView chunk) {
  out = write_raw(out, output_head);
  out = write_raw(out, process_id_json);
  out = write_raw(out, seq_head);
  out = write_decimal(out, seq);
  out = write_raw(out, stream_head);
  out = write_raw(out, detail::enum_name(stream));
  out = write_raw(out, chunk_head);
  out = write_chunk_text(out, chunk);
  return write_raw(out, "\"}}");
}

std::size_t exited_notification_size(std::string_view process_id_json, std::uint64_t seq, int exit_code,
                                     bool sandbox_denied, std::string_view outpost_json) {
  return exited_head.size() + process_id_json.size() + seq_head.size() + decimal_size(seq) + exit_code_head.size() +
         integer_size(exit_code) + sandbox_denied_head.size() + bool_text(sandbox_denied).size() +
         outpost_size(outpost_json) + 2;
}

char* write_exited_notification(char* out, std::string_view process_id_json, std::uint64_t seq, int exit_code,
                                bool sandbox_denied, std::string_view outpost_json) {
  out = write_raw(out, exited_head);
  out = write_raw(out, process_id_json);
  out = write_raw(out, seq_head);
  out = write_decimal(out, seq);
  out = write_raw(out, exit_code_head);
  out = write_decimal(out, std::int64_t{exit_code});
  out = write_raw(out, sandbox_denied_head);
  out = write_raw(out, bool_text(sandbox_denied));
  out = write_outpost(out, outpost_json);
  return write_raw(out, "}}");
}

std::string ended_by_json(EndedBy ended_by) {
  if (ended_by == EndedBy::itself) return {};
  std::string json;
  encode(json,
         ReadAnswerExtension{.ended_by = ended_by, .total_bytes = {}, .omitted_bytes = {}, .omitted_after_seq = {}});
  return json;
}

std::size_t closed_notification_size(std::string_view process_id_json, std::uint64_t seq) {
  return closed_head.size() + process_id_json.size() + seq_head.size() + decimal_size(seq) + 2;
}

char* write_closed_notification(char* out, std::string_view process_id_json, std::uint64_t seq) {
  out = write_raw(out, closed_head);
  out = write_raw(out, process_id_json);
  out = write_raw(out, seq_head);
  out = write_decimal(out, seq);
  return write_raw(out, "}}");
}

std::size_t read_answer_size(const RequestId& id, const ReadAnswer& answer) {
  std::size_t size = read_head.size() + id.json_size() + chunks_head.size();
  for (const ReadChunk& chunk : answer.chunks) size += item_size(chunk);
  if (answer.chunks.size() > 1) size += answer.chunks.size() - 1;
  size += next_seq_head.size() + decimal_size(answer.next_seq);
  size += read_exited_head.size() + bool_text(answer.exited).size();
  size += exit_code_head.size() + (answer.exit_code ? integer_size(*answer.exit_code) : 4);
  size += closed_state_head.size() + bool_text(answer.closed).size();
  size += failure_head.size() + (answer.failure ? json_string_size(*answer.failure) : 4);
  size += sandbox_denied_head.size() + bool_text(answer.sandbox_denied).size();
  return size + outpost_size(answer.outpost_json) + 2;
}

char* write_read_answer(char* out, const RequestId& id, const ReadAnswer& answer) {
  out = write_raw(out, read_head);
  out = id.write_json(out);
  out = write_raw(out, chunks_head);
  bool first = true;
  for (const ReadChunk& chunk : answer.chunks) {
    if (!first) *out++ = ',';
    first = false;
    out = write_item(out, chunk);
  }
  out = write_raw(out, next_seq_head);
  out = write_decimal(out, answer.next_seq);
  out = write_raw(out, read_exited_head);
  out = write_raw(out, bool_text(answer.exited));
  out = write_raw(out, exit_code_head);
  out = answer.exit_code ? write_decimal(out, std::int64_t{*answer.exit_code}) : write_raw(out, "null");
  out = write_raw(out, closed_state_head);
  out = write_raw(out, bool_text(answer.closed));
  out = write_raw(out, failure_head);
  out = answer.failure ? write_json_string(out, *answer.failure) : write_raw(out, "null");
  out = write_raw(out, sandbox_denied_head);
  out = write_raw(out, bool_text(answer.sandbox_denied));
  out = write_outpost(out, answer.outpost_json);
  return write_raw(out, "}}");
}

}  // namespace outpost::wire
