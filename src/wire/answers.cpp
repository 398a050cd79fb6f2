#include "wire/answers.h"

#include "wire/error_codes.h"
#include "wire/json_writer.h"

namespace outpost::wire {

namespace {

constexpr std::string_view id_head = R"({"id":)";
constexpr std::string_view result_head = R"(,"result":)";
constexpr std::string_view error_head = R"({"error":{"code":)";
constexpr std::string_view data_head = R"(,"data":{"kind":)";
constexpr std::string_view message_head = R"(,"message":)";
constexpr std::string_view error_id_head = R"(},"id":)";

}  // namespace

std::size_t answer_size(const RequestId& id, std::string_view result_json) {
  return id_head.size() + id.json_size() + result_head.size() + result_json.size() + 1;
}

char* write_answer(char* out, const RequestId& id, std::string_view result_json) {
  out = write_raw(out, id_head);
  out = id.write_json(out);
  out = write_raw(out, result_head);
  out = write_raw(out, result_json);
  return write_raw(out, "}");
}

std::size_t error_answer_size(const RequestId& id, const Error& error) {
  std::size_t size = error_head.size() + decimal_size(std::int64_t{error_code(error)}) + message_head.size() +
                     json_string_size(error.message) + error_id_head.size() + id.json_size() + 1;
  const std::string_view kind = error_data_kind(error);
  if (!kind.empty()) size += data_head.size() + json_string_size(kind) + 1;
  return size;
}

char* write_error_answer(char* out, const RequestId& id, const Error& error) {
  out = write_raw(out, error_head);
  out = write_decimal(out, std::int64_t{error_code(error)});
  const std::string_view kind = error_data_kind(error);
  if (!kind.empty()) {
    out = write_raw(out, data_head);
    out = write_json_string(out, kind);
    out = write_raw(out, "}");
  }
  out = write_raw(out, message_head);
  out = write_json_string(out, error.message);
  out = write_raw(out, error_id_head);
  out = id.write_json(out);
  return write_raw(out, "}");
}

void append_error_answer(std::string& out, const RequestId& id, const Error& error) {
  const std::size_t before = out.size();
  out.resize(before + error_answer_size(id, error));
  write_error_answer(out.data() + before, id, error);
}

namespace detail {

void append_id(std::string& out, const RequestId& id) {
  const std::size_t before = out.size();
  out.resize(before + id.json_size());
  id.write_json(out.data() + before);
}

void begin_request(JsonWriter& writer, const RequestId& id, std::string_view method) {
  writer.begin_object();
  writer.key("id");
  if (id.is_number()) {
    writer.integer(id.number());
  } else {
    writer.string(id.text());
  }
  writer.key("method");
  writer.string(method);
  writer.key("params");
}

void end_request(JsonWriter& writer, const TraceMember& trace) {
  if (!trace.traceparent.empty()) {
    writer.key("trace");
    writer.begin_object();
    writer.key("traceparent");
    writer.string(trace.traceparent);
    if (!trace.tracestate.empty()) {
      writer.key("tracestate");
      writer.string(trace.tracestate);
    }
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace detail

}  // namespace outpost::wire
