#include "apps/outpost/listen_url.h"

#include <arpa/inet.h>

#include <charconv>
#include <optional>

namespace outpost::apps {

namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<ListenAddress> parse_ipv6(std::string_view authority) {
  const std::size_t close = authority.find("]:");
  if (close == std::string_view::npos) return std::nullopt;
  ListenAddress address;
  address.host = std::string(authority.substr(1, close - 1));
  in6_addr binary{};
  const auto port = parse_port(authority.substr(close + 2));
  // The scope behind `%` is a number or the name of an interface: whether there is such a one shows when it is used.
  const std::size_t percent = address.host.find('%');
  const bool scoped = percent != std::string::npos;
  if (!port || (scoped && percent + 1 == address.host.size())) return std::nullopt;
  if (::inet_pton(AF_INET6, address.host.substr(0, percent).c_str(), &binary) != 1) return std::nullopt;
  address.port = *port;
  address.loopback = IN6_IS_ADDR_LOOPBACK(&binary);
  return address;
}

std::optional<ListenAddress> parse_ipv4(std::string_view authority) {
  const std::size_t colon = authority.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  ListenAddress address;
  address.host = std::string(authority.substr(0, colon));
  in_addr binary{};
  const auto port = parse_port(authority.substr(colon + 1));
  if (!port || ::inet_pton(AF_INET, address.host.c_str(), &binary) != 1) return std::nullopt;
  address.port = *port;
  address.loopback = (ntohl(binary.s_addr) >> 24) == 127;
  return address;
}

Result<ListenAddress> parse_unix(std::string_view url, std::string_view path) {
  if (path.size() < 2 || !path.starts_with('/') || path.ends_with('/') || path.contains('\0')) {
    return fail(ErrorKind::invalid_input,
                "invalid unix --listen URL `" + std::string(url) + "`; expected `unix:///PATH`");
  }
  return ListenAddress{.kind = ListenAddress::Kind::unix_socket, .loopback = true, .path = std::string(path)};
}

}  // namespace

Result<ListenAddress> parse_listen_url(std::string_view url) {
  using Kind = ListenAddress::Kind;
  if (url == "stdio" || url == "stdio://") return ListenAddress{.kind = Kind::stdio, .loopback = true};
  if (url == "fd://") return ListenAddress{.kind = Kind::passed_sockets};
  constexpr std::string_view unix_scheme = "unix://";
  if (url.starts_with(unix_scheme)) return parse_unix(url, url.substr(unix_scheme.size()));
  for (const bool tls : {false, true}) {
    const std::string scheme = tls ? "wss://" : "ws://";
    if (!url.starts_with(scheme)) continue;
    const std::string_view authority = url.substr(scheme.size());
    auto address = authority.starts_with('[') ? parse_ipv6(authority) : parse_ipv4(authority);
    if (!address) {
      return fail(ErrorKind::invalid_input,
                  "invalid websocket --listen URL `" + std::string(url) + "`; expected `" + scheme + "IP:PORT`");
    }
    address->tls = tls;
    return *std::move(address);
  }
  return fail(ErrorKind::invalid_input,
              "unsupported --listen URL `" + std::string(url) +
                  "`; expected `ws://IP:PORT`, `wss://IP:PORT`, `unix:///PATH`, `fd://` or `stdio`");
}

}  // namespace outpost::apps
