#include "os/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <optional>

namespace outpost::os {

namespace {

using Found = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::expected<Found, int> look_up(const std::string& host, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) return std::unexpected(error);
  return Found(found, &::freeaddrinfo);
}

/// Not by getnameinfo, which names the scope of a link-local address: an interface may be renamed, or have a name that
/// no address can hold.
std::optional<std::string> literal(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN];
  if (address->sa_family == AF_INET) {
    const auto& ipv4 = *reinterpret_cast<const sockaddr_in*>(address);
    return std::string(::inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text));
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  const auto& ipv6 = *reinterpret_cast<const sockaddr_in6*>(address);
  std::string written(::inet_ntop(AF_INET6, &ipv6.sin6_addr, text, sizeof text));
  if (ipv6.sin6_scope_id != 0) written += "%" + std::to_string(ipv6.sin6_scope_id);
  return written;
}

Result<std::vector<std::string>> literals(const std::string& host, const Found& found) {
  std::vector<std::string> addresses;
  for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
    if (auto text = literal(entry->ai_addr)) addresses.push_back(*std::move(text));
  }
  if (addresses.empty()) return fail(ErrorKind::io, "cannot resolve " + host + ": it has no IP address");
  return addresses;
}

}  // namespace

Result<std::vector<std::string>> resolve_host(const std::string& host) {
  if (host == "localhost" || host.ends_with(".localhost")) return std::vector<std::string>{"127.0.0.1", "::1"};
  if (const auto own = look_up(host, AI_NUMERICHOST)) return literals(host, *own);
  const auto found = look_up(host, AI_ADDRCONFIG);
  if (!found) return fail(ErrorKind::io, "cannot resolve " + host + ": " + ::gai_strerror(found.error()));
  return literals(host, *found);
}

}  // namespace outpost::os
