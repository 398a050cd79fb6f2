#include "wire/error_codes.h"

#include <optional>
#include <utility>

namespace outpost::wire {

namespace {

constexpr int invalid_request_code = -32600;
constexpr int unknown_method_code = -32601;
constexpr int invalid_params_code = -32602;
constexpr int failed_code = -32603;
constexpr int not_found_code = -32004;
constexpr int session_attached_code = -32010;
constexpr int cancelled_code = -32800;

/// -32600 says little; its texts are fixed by the specification.
std::optional<ErrorKind> invalid_request_kind(std::string_view message) {
  if (message.starts_with("unknown process id ")) return ErrorKind::unknown_process;
  if (message.starts_with("unknown session id ")) return ErrorKind::unknown_session;
  if (message.starts_with("process id ") && message.ends_with(" is starting")) return ErrorKind::process_starting;
  if (message.starts_with("process ") && message.ends_with(" already exists")) return ErrorKind::process_exists;
  if (message.starts_with("client must ")) return ErrorKind::wrong_state;
  return std::nullopt;
}

std::optional<ErrorKind> failed_kind(std::string_view message, std::string_view data_kind) {
  if (data_kind == "spawnNotFound") return ErrorKind::spawn_not_found;
  if (data_kind == "spawnPermissionDenied") return ErrorKind::spawn_permission;
  if (data_kind == "spawnFailed") return ErrorKind::spawn_failed;
  if (data_kind == "sandboxUnavailable") return ErrorKind::sandbox_unavailable;
  if (message == "failed to write to process stdin") return ErrorKind::stdin_failed;
  if (message.contains(" (os error ") && message.ends_with(')')) return ErrorKind::io;
  return std::nullopt;
}

std::optional<ErrorKind> kind_of(int code, std::string_view message, std::string_view data_kind) {
  switch (code) {
    case invalid_request_code:
      return invalid_request_kind(message);
    case unknown_method_code:
      return ErrorKind::unknown_method;
    case invalid_params_code:
      return ErrorKind::invalid_params;
    case failed_code:
      return failed_kind(message, data_kind);
    case not_found_code:
      return ErrorKind::not_found;
    case session_attached_code:
      return ErrorKind::session_attached;
    case cancelled_code:
      return ErrorKind::cancelled;
    default:
      return std::nullopt;
  }
}

}  // namespace

int error_code(const Error& error) {
  switch (error.kind) {
    case ErrorKind::malformed_message:
    case ErrorKind::wrong_state:
    case ErrorKind::unknown_process:
    case ErrorKind::process_exists:
    case ErrorKind::process_starting:
    case ErrorKind::unknown_session:
    case ErrorKind::limit_reached:
    case ErrorKind::invalid_input:
      return invalid_request_code;
    case ErrorKind::unknown_method:
      return unknown_method_code;
    case ErrorKind::invalid_params:
      return invalid_params_code;
    case ErrorKind::session_attached:
      return session_attached_code;
    case ErrorKind::not_found:
      return not_found_code;
    case ErrorKind::cancelled:
      return cancelled_code;
    case ErrorKind::remote:
      return error.remote_code;
    case ErrorKind::spawn_not_found:
    case ErrorKind::spawn_permission:
    case ErrorKind::spawn_failed:
    case ErrorKind::sandbox_unavailable:
    case ErrorKind::stdin_failed:
    case ErrorKind::io:
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::connection_lost:
    case ErrorKind::internal:
      return failed_code;
  }
  return failed_code;
}

std::string_view error_data_kind(const Error& error) {
  if (!error.data_kind.empty()) return error.data_kind;
  switch (error.kind) {
    case ErrorKind::spawn_not_found:
      return "spawnNotFound";
    case ErrorKind::spawn_permission:
      return "spawnPermissionDenied";
    case ErrorKind::spawn_failed:
      return "spawnFailed";
    case ErrorKind::sandbox_unavailable:
      return "sandboxUnavailable";
    default:
      return {};
  }
}

Error error_from_wire(std::int64_t code, std::string_view message, JsonView data) {
  Error error(ErrorKind::remote, std::string(message));
  error.remote_code = std::in_range<int>(code) ? static_cast<int>(code) : failed_code;
  error.data_kind = data.find("kind").as_string();
  if (const auto kind = kind_of(error.remote_code, message, error.data_kind)) {
    error.kind = *kind;
    error.remote_code = 0;
  }
  return error;
}

}  // namespace outpost::wire
