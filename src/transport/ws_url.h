#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace outpost::transport {

/// A `ws://` address taken apart.
struct WsUrl {
  std::string host;  ///< name or literal address, without brackets
  std::uint16_t port = 80;
  std::string target;     ///< path and query, at least `/`
  std::string authority;  ///< as it stands in the URL, for the `Host` header
};

/// `ErrorKind::invalid_input` with a text that says what is wrong with `url` and what would be right.
Result<WsUrl> parse_ws_url(std::string_view url);

}  // namespace outpost::transport
