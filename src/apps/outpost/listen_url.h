#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace outpost::apps {

/// Where to listen.
struct ListenAddress {
  enum class Kind { websocket, unix_socket, stdio, passed_sockets };
  Kind kind = Kind::websocket;
  bool tls = false;       ///< `wss`
  std::string host = {};  ///< of a websocket: IPv4 or IPv6 without brackets, perhaps with a scope: `fe80::1%eth0`
  std::uint16_t port = 0;
  bool loopback = false;
  std::string path = {};  ///< of a unix socket, absolute
};

/// Parses a `--listen` value (processes-and-sessions 12, 12.0.1). The error text names the value and the form that
/// would be right.
Result<ListenAddress> parse_listen_url(std::string_view url);

}  // namespace outpost::apps
