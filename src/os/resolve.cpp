#include "os/resolve.h"

#include <netdb.h>
#include <sys/socket.h>

#include <memory>

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

std::vector<std::string> literals(const Found& found) {
  std::vector<std::string> addresses;
  char text[NI_MAXHOST];
  for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
    if (::getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) continue;
    addresses.emplace_back(text);
  }
  return addresses;
}

}  // namespace

Result<std::vector<std::string>> resolve_host(const std::string& host) {
  if (host == "localhost" || host.ends_with(".localhost")) return std::vector<std::string>{"127.0.0.1", "::1"};
  if (const auto literal = look_up(host, AI_NUMERICHOST)) return literals(*literal);
  const auto found = look_up(host, AI_ADDRCONFIG);
  if (!found) return fail(ErrorKind::io, "cannot resolve " + host + ": " + ::gai_strerror(found.error()));
  return literals(*found);
}

}  // namespace outpost::os
