#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace outpost {

/// What went wrong, as fine as the wire needs. `wire/error_codes.cpp` alone turns a kind into a code.
enum class ErrorKind {
  malformed_message,    ///< a text that is no message of the protocol
  unknown_method,       ///< a method that this side doesn't know
  invalid_params,       ///< params that don't decode, or hold a value out of range
  wrong_state,          ///< the handshake isn't there yet, or something is done twice
  unknown_process,      ///< no process of that id in the session
  process_exists,       ///< the id of a new process is in use
  process_starting,     ///< the process isn't started yet
  unknown_session,      ///< no session of that id (or not for this subject)
  session_attached,     ///< the session is attached to a living connection
  limit_reached,        ///< a bound of `base/limits/` or of an option
  spawn_not_found,      ///< the program or its folder is missing
  spawn_permission,     ///< no right to execute the program
  spawn_failed,         ///< any other failure to start a program
  sandbox_unavailable,  ///< a sandbox was asked for that can't be had here
  stdin_failed,         ///< the stdin of a process takes no more
  not_found,            ///< a file or handle that isn't there
  invalid_input,        ///< a request that the file system can't fulfil as it stands; a missing right
  io,                   ///< any other failure of the operating system
  unavailable,          ///< a part of the product that this machine or version lacks
  cancelled,            ///< given up by the caller
  timeout,              ///< a deadline passed
  connection_lost,      ///< the other side is gone
  remote,               ///< the other side answered an error; `Error::remote_code` has its code
  internal,             ///< a fault of ours
};

/// A failure as a value. `message` is for people and, on the wire, the message of the error object.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  int remote_code = 0;    ///< with `ErrorKind::remote` only
  std::string data_kind;  ///< `error.data.kind` on the wire; empty: no data. Set where a kind alone doesn't tell it

  Error() = default;
  Error(ErrorKind error_kind, std::string text) : kind(error_kind), message(std::move(text)) {}
};

template <class T = void>
using Result = std::expected<T, Error>;

/// `return fail(ErrorKind::not_found, "…")` from any function that returns a `Result`.
inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected<Error>(Error{kind, std::move(message)});
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

/// `TEXT (os error N)`, the form that clients of the protocol match.
std::string os_error_text(int error_number);

}  // namespace outpost

/// The value of a `Result`, or an early return of its error. libstdc++ 12 has no monadic `expected`.
#define OUTPOST_TRY(...)                                                      \
  ({                                                                          \
    auto try_result_ = (__VA_ARGS__);                                         \
    if (!try_result_) return std::unexpected(std::move(try_result_).error()); \
    *std::move(try_result_);                                                  \
  })
/// As OUTPOST_TRY, for a `Result<void>`.
#define OUTPOST_CHECK_OK(...)                                                 \
  do {                                                                        \
    auto try_result_ = (__VA_ARGS__);                                         \
    if (!try_result_) return std::unexpected(std::move(try_result_).error()); \
  } while (false)
