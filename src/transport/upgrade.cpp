#include "transport/upgrade.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "crypto/digest.h"

namespace outpost::transport {
namespace {

using channel::HttpAnswer;
using channel::HttpRequest;

constexpr std::string_view text_type = "text/plain; charset=utf-8";
constexpr std::string_view websocket_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3
constexpr std::string_view headers_of_ours[] = {"host", "connection", "upgrade", "content-length", "transfer-encoding"};

HttpAnswer empty_answer(int status) {
  return {.status = status};
}

HttpAnswer text_answer(int status, std::string_view text) {
  return {.status = status, .headers = {{"content-type", std::string(text_type)}}, .body = std::string(text)};
}

/// Whether some `connection` header names the upgrade. A part of a word is enough, as for the reference; several
/// headers count as one list (RFC 9110, 5.3).
bool connection_upgrades(const HttpRequest& request) {
  return std::ranges::any_of(request.headers, [](const auto& header) {
    return header.first == "connection" && ascii::lower_case(header.second).contains("upgrade");
  });
}

/// What is wrong with the form of an upgrade on `/`, in the order of the reference.
std::optional<HttpAnswer> form_problem(const HttpRequest& request) {
  if (request.method != "GET") return text_answer(405, "Request method must be `GET`");
  if (!connection_upgrades(request)) return text_answer(400, "Connection header did not include 'upgrade'");
  if (!ascii::equal_any_case(request.header("upgrade").value_or(""), "websocket")) {
    return text_answer(400, "`Upgrade` header did not include 'websocket'");
  }
  if (!request.header("sec-websocket-key")) return text_answer(400, "`Sec-WebSocket-Key` header missing");
  if (request.header("sec-websocket-version") != "13") {
    return text_answer(400, "`Sec-WebSocket-Version` header did not include '13'");
  }
  if (request.version != 11) {
    return text_answer(426, "WebSocket request couldn't be upgraded since no upgrade state was present");
  }
  // Its bytes would be taken for frames.
  if (request.has_body) return text_answer(400, "Upgrade request must not have a body");
  return std::nullopt;
}

std::variant<Upgrade, HttpAnswer> decide(const HttpRequest& request, const channel::UpgradeCheck& check,
                                         const std::string& peer) {
  if (request.header("origin")) return empty_answer(403);
  if (request.path == "/readyz") {
    if (request.method == "GET" || request.method == "HEAD") return empty_answer(200);
    return HttpAnswer{.status = 405, .headers = {{"allow", "GET,HEAD"}}};
  }
  if (request.path != "/") return empty_answer(404);
  if (auto problem = form_problem(request)) return *std::move(problem);

  Upgrade upgrade{.accept_key = accept_key_for(*request.header("sec-websocket-key")),
                  .subject = std::string(channel::anonymous_subject)};
  if (check) {
    auto verdict = check(request, peer);
    if (auto* refused = std::get_if<HttpAnswer>(&verdict)) return std::move(*refused);
    upgrade.subject = std::move(std::get<channel::UpgradeAccepted>(verdict).subject);
  }
  return upgrade;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Answer";
  }
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

/// RFC 9110, 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, in any locale.
std::string http_date(std::chrono::sys_seconds date) {
  constexpr std::array weekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(date);
  const std::chrono::year_month_day calendar(day);
  const std::chrono::hh_mm_ss time(date - day);
  std::array<char, 64> text;
  const int size = std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                                 weekdays[std::chrono::weekday(day).c_encoding()], unsigned(calendar.day()),
                                 months[unsigned(calendar.month()) - 1], int(calendar.year()),
                                 int(time.hours().count()), int(time.minutes().count()), int(time.seconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

/// RFC 9110, 5.6.2.
bool is_token(std::string_view name) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return ascii::is_letter(c) || ascii::is_digit(c) || others.contains(c);
  });
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}
bool is_field_value(std::string_view value) {
  return std::ranges::none_of(value, [](char c) { return is_control(c) && c != '\t'; });
}
bool is_one_word(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return is_control(c) || c == ' '; });
}

Result<> check_extra_headers(const channel::HttpHeaders& extra) {
  channel::HttpHeaders seen;
  for (const auto& [given_name, value] : extra) {
    if (!is_token(given_name)) {
      return fail(ErrorKind::invalid_input, "invalid exec-server WebSocket header name `" + given_name + "`");
    }
    std::string name = ascii::lower_case(given_name);
    if (name.starts_with("sec-websocket-") || std::ranges::find(headers_of_ours, name) != std::end(headers_of_ours)) {
      return fail(ErrorKind::invalid_input,
                  "exec-server WebSocket header `" + name + "` is controlled by the connection");
    }
    if (!is_field_value(value)) {
      return fail(ErrorKind::invalid_input, "invalid value for exec-server WebSocket header `" + name + "`");
    }
    if (channel::find_header(seen, name)) {
      return fail(ErrorKind::invalid_input, "duplicate exec-server WebSocket header `" + name + "`");
    }
    seen.emplace_back(std::move(name), "");
  }
  return {};
}

}  // namespace

std::variant<Upgrade, HttpAnswer> answer_http(const HttpRequest& request, const channel::UpgradeCheck& check,
                                              const std::string& peer) {
  auto decision = decide(request, check, peer);
  if (auto* answer = std::get_if<HttpAnswer>(&decision)) answer->close |= request.has_body;
  return decision;
}

AnswerForm form_for(const HttpRequest& request) {
  AnswerForm form;
  form.head_request = request.method == "HEAD";
  form.keep_alive = request.keep_alive;
  form.version = request.version;
  return form;
}

std::string format_answer(const HttpAnswer& answer, const AnswerForm& form) {
  std::string out = form.version == 10 ? "HTTP/1.0 " : "HTTP/1.1 ";
  out.append(std::to_string(answer.status)).append(" ").append(reason_of(answer.status)).append("\r\n");
  for (const auto& [name, value] : answer.headers) append_line(out, name, value);
  append_line(out, "content-length", std::to_string(answer.body.size()));
  const bool lives_on = form.keep_alive && !answer.close;
  if (!lives_on) append_line(out, "connection", "close");
  if (lives_on && form.version == 10) append_line(out, "connection", "keep-alive");
  append_line(out, "date", http_date(form.date));
  out.append("\r\n");
  if (!form.head_request) out.append(answer.body);
  return out;
}

std::string format_upgrade_answer(std::string_view accept_key, std::chrono::sys_seconds date) {
  std::string out = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n";
  append_line(out, "sec-websocket-accept", accept_key);
  append_line(out, "date", http_date(date));
  return out.append("\r\n");
}

std::string accept_key_for(std::string_view key) {
  std::string text(key);
  text.append(websocket_guid);
  return base64::encode(crypto::sha1(as_bytes(text)));
}

Result<std::string> format_upgrade_request(std::string_view host, std::string_view target, std::string_view key,
                                           const channel::HttpHeaders& extra) {
  if (!is_one_word(host) || !is_one_word(target) || !target.starts_with('/')) {
    return fail(ErrorKind::invalid_input, "invalid exec-server websocket URL");
  }
  if (auto checked = check_extra_headers(extra); !checked) return fail(std::move(checked).error());
  std::string out = "GET ";
  out.append(target).append(" HTTP/1.1\r\n");
  append_line(out, "Host", host);
  append_line(out, "Connection", "Upgrade");
  append_line(out, "Upgrade", "websocket");
  append_line(out, "Sec-WebSocket-Version", "13");
  append_line(out, "Sec-WebSocket-Key", key);
  for (const auto& [name, value] : extra) append_line(out, name, value);
  return out.append("\r\n");
}

Result<> check_upgrade_answer(const HttpResponse& response, std::string_view key) {
  const auto refuse = [](std::string text) { return fail(ErrorKind::connection_lost, std::move(text)); };
  if (response.status != 101) {
    std::string text = "HTTP error: " + std::to_string(response.status);
    if (!response.reason.empty()) text.append(" ").append(response.reason);
    return refuse(std::move(text));
  }
  if (!ascii::equal_any_case(response.header("upgrade").value_or(""), "websocket") ||
      !ascii::lower_case(response.header("connection").value_or("")).contains("upgrade")) {
    return refuse("the answer is no upgrade to a websocket");
  }
  if (response.header("sec-websocket-accept") != accept_key_for(key)) return refuse("wrong Sec-WebSocket-Accept");
  if (response.header("sec-websocket-extensions") || response.header("sec-websocket-protocol")) {
    return refuse("an extension or subprotocol that was not offered");
  }
  return {};
}

}  // namespace outpost::transport
