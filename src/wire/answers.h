#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/codec.h"
#include "wire/request_id.h"

namespace outpost::wire {

// Whole messages. A `*_size` is exact; the `write_*` of the same arguments fills that many bytes and returns the place
// behind them.

/// `{"id":ID,"result":RESULT}`, the result being JSON already.
std::size_t answer_size(const RequestId& id, std::string_view result_json);
char* write_answer(char* out, const RequestId& id, std::string_view result_json);

/// `{"error":{"code":CODE,"data":{"kind":KIND},"message":TEXT},"id":ID}`; `data` only where the error has a kind.
std::size_t error_answer_size(const RequestId& id, const Error& error);
char* write_error_answer(char* out, const RequestId& id, const Error& error);

/// The id of an answer to what was no message (processes-and-sessions 1.3).
inline constexpr std::int64_t malformed_message_id = -1;

/// Appends the answer to `out`.
template <class T>
void append_answer(std::string& out, const RequestId& id, const T& result);
void append_error_answer(std::string& out, const RequestId& id, const Error& error);

/// What a request carries to parent the span of the other side; empty texts are left out.
struct TraceMember {
  std::string_view traceparent;
  std::string_view tracestate;
};

/// Appends `{"id":ID,"method":METHOD,"params":PARAMS,"trace":…}`.
template <class T>
void append_request(std::string& out, const RequestId& id, std::string_view method, const T& params,
                    const TraceMember& trace = {});
/// Appends `{"method":METHOD,"params":PARAMS}`.
template <class T>
void append_notification(std::string& out, std::string_view method, const T& params);

namespace detail {
void begin_request(JsonWriter& writer, const RequestId& id, std::string_view method);
void end_request(JsonWriter& writer, const TraceMember& trace);
void append_id(std::string& out, const RequestId& id);
}  // namespace detail

template <class T>
void append_answer(std::string& out, const RequestId& id, const T& result) {
  out += R"({"id":)";
  detail::append_id(out, id);
  out += R"(,"result":)";
  encode(out, result);
  out += '}';
}

template <class T>
void append_request(std::string& out, const RequestId& id, std::string_view method, const T& params,
                    const TraceMember& trace) {
  JsonWriter writer(out);
  detail::begin_request(writer, id, method);
  encode(writer, params);
  detail::end_request(writer, trace);
}

template <class T>
void append_notification(std::string& out, std::string_view method, const T& params) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("method");
  writer.string(method);
  writer.key("params");
  encode(writer, params);
  writer.end_object();
}

}  // namespace outpost::wire
