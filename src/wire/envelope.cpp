#include "wire/envelope.h"

#include <optional>
#include <string>

#include "wire/codec.h"
#include "wire/json_parser.h"

namespace outpost::wire {

/// The member `trace` of a request (W3C Trace Context).
struct W3cTraceContext {
  std::optional<std::string_view> traceparent;
  std::optional<std::string_view> tracestate;
};
BOOST_DESCRIBE_STRUCT(W3cTraceContext, (), (traceparent, tracestate))

/// The member `error`, by the name that the reference gives it in its errors.
struct JSONRPCErrorError {
  std::int64_t code = 0;
  std::string_view message;
  JsonView data;
};
BOOST_DESCRIBE_STRUCT(JSONRPCErrorError, (), (code, message, data))

namespace detail {

// Only here texts and values may be kept as views: a Message is documented to hold no longer than its text.
template <>
struct Decoder<std::string_view> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::string_view& out, DecodeContext& context) {
    if (!view.is_string()) return context.wrong_type(view, "a string");
    out = view.as_string();
    return true;
  }
};

template <>
struct Decoder<JsonView> {
  static constexpr bool required = false;
  static bool read(JsonView view, JsonView& out, DecodeContext&) {
    out = view;
    return true;
  }
};

}  // namespace detail

namespace {

using detail::DecodeContext;
using detail::Decoder;

/// The members of a message that count, wherever they stand in it.
struct Shape {
  JsonView id, method, params, result, error;
};

Shape shape_of(JsonView root) {
  Shape shape;
  for (const auto& [name, value] : root.members()) {
    if (name == "id") shape.id = value;
    if (name == "method") shape.method = value;
    if (name == "params") shape.params = value;
    if (name == "result") shape.result = value;
    if (name == "error") shape.error = value;
  }
  return shape;
}

MessageKind kind_of(const Shape& shape) {
  if (shape.method.present()) return shape.id.present() ? MessageKind::request : MessageKind::notification;
  return shape.result.present() ? MessageKind::response : MessageKind::error;
}

bool read_id(JsonView view, RequestId& out, DecodeContext& context) {
  if (view.is_string()) {
    out = RequestId(std::string(view.as_string()));
    return true;
  }
  if (const auto number = view.as_plain_int64()) {
    out = RequestId(*number);
    return true;
  }
  return context.failed({ErrorKind::malformed_message, "data did not match any variant of untagged enum RequestId"});
}

/// Takes over one member of the message; members that don't belong to its kind are not looked at.
bool read_member(std::string_view name, JsonView value, Message& message, DecodeContext& context) {
  const bool is_call = message.kind == MessageKind::request || message.kind == MessageKind::notification;
  if (name == "id" && message.kind != MessageKind::notification) {
    return read_id(value, message.id, context);
  }
  if (name == "method" && is_call) return Decoder<std::string_view>::read(value, message.method, context);
  if (name == "trace" && message.kind == MessageKind::request) {
    std::optional<W3cTraceContext> trace;
    if (!Decoder<std::optional<W3cTraceContext>>::read(value, trace, context)) return false;
    if (trace) message.traceparent = trace->traceparent.value_or(std::string_view());
    if (trace) message.tracestate = trace->tracestate.value_or(std::string_view());
    return true;
  }
  if (name == "error" && message.kind == MessageKind::error) {
    JSONRPCErrorError error;
    if (!Decoder<JSONRPCErrorError>::read(value, error, context)) return false;
    message.error_code = error.code;
    message.error_message = error.message;
    message.error_data = error.data;
  }
  return true;
}

bool read_message(JsonView root, const Shape& shape, Message& message, DecodeContext& context) {
  message.kind = kind_of(shape);
  message.params = shape.params;
  message.result = shape.result;
  for (const auto& [name, value] : root.members()) {
    if (!read_member(name, value, message, context)) return false;
  }
  if (message.kind == MessageKind::error && !shape.error.present()) return context.missing_field("error");
  if (message.kind != MessageKind::notification && !shape.id.present()) return context.missing_field("id");
  return true;
}

}  // namespace

Result<Message> MessageParser::parse(std::string_view text) {
  if (auto parsed = parse_json(text, document_); !parsed) return fail(std::move(parsed).error());
  const JsonView root = document_.root();
  if (!root.is_object()) return fail(ErrorKind::malformed_message, "expected a JSON-RPC object");
  DecodeContext context;
  Message message;
  if (!read_message(root, shape_of(root), message, context)) {
    return fail(ErrorKind::malformed_message, context.take_error().message);
  }
  return message;
}

void MessageParser::clear() {
  document_.clear();
}

}  // namespace outpost::wire
