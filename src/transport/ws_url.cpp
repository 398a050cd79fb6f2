#include "transport/ws_url.h"

#include <algorithm>
#include <charconv>

namespace outpost::transport {

namespace {

std::unexpected<Error> bad(std::string_view url, std::string_view why) {
  return fail(ErrorKind::invalid_input,
              "bad URL `" + std::string(url) + "`: " + std::string(why) + "; expected ws://HOST:PORT");
}

}  // namespace

Result<WsUrl> parse_ws_url(std::string_view url) {
  constexpr std::string_view scheme = "ws://";
  if (url.starts_with("wss://")) return bad(url, "TLS is not available in this version");
  if (!url.starts_with(scheme)) return bad(url, "the scheme is not ws");
  const std::string_view rest = url.substr(scheme.size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  WsUrl parsed;
  parsed.authority = rest.substr(0, end);
  parsed.target = rest.substr(end);
  if (rest.find('#') != std::string_view::npos) return bad(url, "a websocket URL has no fragment");
  if (!parsed.target.starts_with('/')) parsed.target.insert(0, "/");
  if (parsed.authority.find('@') != std::string::npos) return bad(url, "user names are not allowed");

  std::string_view port;
  std::string_view authority = parsed.authority;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad(url, "`]` is missing");
    parsed.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    parsed.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (parsed.host.empty()) return bad(url, "the host is missing");
  if (port.empty()) return parsed;
  if (port.front() != ':') return bad(url, "after `]` comes the port, with a colon");
  port.remove_prefix(1);
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
  if (port.empty() || error != std::errc{} || stop != port.data() + port.size() || parsed.port == 0) {
    return bad(url, "the port is not a number from 1 to 65535");
  }
  return parsed;
}

}  // namespace outpost::transport
