#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "channel/upgrade.h"
#include "transport/http_head.h"

/// The HTTP face of a listener (processes-and-sessions 10, network 1) and both sides of the opening handshake of a
/// websocket (RFC 6455, 4). Pure: heads in, decisions and texts out.
namespace outpost::transport {

/// A request that becomes a websocket.
struct Upgrade {
  std::string accept_key;  ///< the value of `sec-websocket-accept`
  std::string subject;     ///< from the `UpgradeCheck`
};

/// Decides about one request, in the order of network 1: Origin, path, method, form of the upgrade, body, credentials.
/// `check` (may be empty: everyone is let in, as `anonymous_subject`) is asked for a well-formed upgrade only. A
/// request with a body is answered with `close` set: its body is never read.
std::variant<Upgrade, channel::HttpAnswer> answer_http(const channel::HttpRequest& request,
                                                       const channel::UpgradeCheck& check, const std::string& peer);

/// How an answer is written: what it owes to the request that it answers, and the time.
struct AnswerForm {
  bool head_request = false;  ///< a HEAD: the length of the body is said, the body isn't sent
  bool keep_alive = true;     ///< the connection lives on, unless the answer says `close`
  int version = 11;           ///< 10 or 11, as the request's
  std::chrono::sys_seconds date = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
};

/// The form for an answer to `request`, now. With `HttpAnswer::close` it is the caller who ends the connection.
AnswerForm form_for(const channel::HttpRequest& request);

/// The bytes of an answer.
std::string format_answer(const channel::HttpAnswer& answer, const AnswerForm& form);

/// The bytes of the 101 that turns the connection into a websocket.
std::string format_upgrade_answer(std::string_view accept_key, std::chrono::sys_seconds date);

/// `sec-websocket-accept` of a `sec-websocket-key` (RFC 6455, 4.2.2): base64 of a SHA-1.
std::string accept_key_for(std::string_view key);

/// The bytes of a client's upgrade request. `host` is the value of `Host`, `target` path and query, `key` base64 of 16
/// random bytes, `extra` the caller's own headers. `ErrorKind::invalid_input`, with the texts of environments.md, for
/// an extra header that isn't legal, comes twice, or is the handshake's own.
Result<std::string> format_upgrade_request(std::string_view host, std::string_view target, std::string_view key,
                                           const channel::HttpHeaders& extra);

/// Checks what a server answered to `format_upgrade_request` with this `key`: status 101, both upgrade headers, the
/// accept key, no extension or subprotocol (none was offered). Fails with `ErrorKind::connection_lost` and a text such
/// as `HTTP error: 401 Unauthorized`.
Result<> check_upgrade_answer(const HttpResponse& response, std::string_view key);

}  // namespace outpost::transport
