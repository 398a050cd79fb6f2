#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace outpost::apps {

/// A literal address to listen on.
struct ListenAddress {
  std::string host;  ///< IPv4 or IPv6 without brackets, perhaps with a scope: `fe80::1%eth0`
  std::uint16_t port = 0;
  bool loopback = false;
};

/// Parses a `--listen` value (processes-and-sessions 12). The error text names the value and the form that would be
/// right.
Result<ListenAddress> parse_listen_url(std::string_view url);

}  // namespace outpost::apps
