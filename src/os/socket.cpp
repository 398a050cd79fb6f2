#include "os/socket.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/limits/system.h"

namespace outpost::os {
namespace {

/// A socket address of either family, as the system calls want it.
struct Endpoint {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

std::unexpected<Error> system_failure() {
  return fail(ErrorKind::io, os_error_text(errno));
}

/// A number, or else the name of an interface (RFC 4007, 11.2).
bool parse_scope(const std::string& text, std::uint32_t& scope) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scope);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  scope = ::if_nametoindex(text.c_str());
  return scope != 0;
}

std::optional<Endpoint> parse_ipv4(const std::string& address, std::uint16_t port) {
  Endpoint endpoint{.size = sizeof(sockaddr_in)};
  auto& ipv4 = reinterpret_cast<sockaddr_in&>(endpoint.storage);
  ipv4.sin_family = AF_INET;
  ipv4.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) != 1) return std::nullopt;
  return endpoint;
}

std::optional<Endpoint> parse_ipv6(std::string_view address, std::uint16_t port) {
  Endpoint endpoint{.size = sizeof(sockaddr_in6)};
  auto& ipv6 = reinterpret_cast<sockaddr_in6&>(endpoint.storage);
  ipv6.sin6_family = AF_INET6;
  ipv6.sin6_port = htons(port);
  const auto percent = address.find('%');
  if (percent != std::string_view::npos && !parse_scope(std::string(address.substr(percent + 1)), ipv6.sin6_scope_id)) {
    return std::nullopt;
  }
  if (::inet_pton(AF_INET6, std::string(address.substr(0, percent)).c_str(), &ipv6.sin6_addr) != 1) return std::nullopt;
  return endpoint;
}

Result<Endpoint> parse_endpoint(std::string_view address, std::uint16_t port) {
  // inet_pton would stop at a NUL byte and take the rest for nothing.
  const bool whole = address.find('\0') == std::string_view::npos;
  auto endpoint = whole ? parse_ipv4(std::string(address), port) : std::nullopt;
  if (whole && !endpoint) endpoint = parse_ipv6(address, port);
  if (!endpoint) return fail(ErrorKind::invalid_input, "not an IP address: " + std::string(address));
  return *endpoint;
}

Result<FileDescriptor> open_socket(const Endpoint& endpoint) {
  FileDescriptor socket(::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return system_failure();
  return socket;
}

Accepted::Status accept_failure(int error) {
  switch (error) {
    case EAGAIN:
      return Accepted::would_block;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return Accepted::no_descriptors;
    // accept(2): pending network errors of the new connection are passed on, and EPERM comes from a firewall.
    case ECONNABORTED:
    case EPERM:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ETIMEDOUT:
      return Accepted::gone;
    default:
      return Accepted::failed;
  }
}

Result<std::string> endpoint_text(const Endpoint& endpoint) {
  char text[INET6_ADDRSTRLEN];
  if (endpoint.storage.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(endpoint.storage);
    ::inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(ipv4.sin_port));
  }
  if (endpoint.storage.ss_family == AF_INET6) {
    const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(endpoint.storage);
    ::inet_ntop(AF_INET6, &ipv6.sin6_addr, text, sizeof text);
    const std::string scope = ipv6.sin6_scope_id != 0 ? "%" + std::to_string(ipv6.sin6_scope_id) : "";
    return "[" + std::string(text) + scope + "]:" + std::to_string(ntohs(ipv6.sin6_port));
  }
  return fail(ErrorKind::invalid_input, "not an IP socket");
}

}  // namespace

Result<FileDescriptor> listen_tcp(std::string_view address, std::uint16_t port) {
  const Endpoint endpoint = OUTPOST_TRY(parse_endpoint(address, port));
  FileDescriptor socket = OUTPOST_TRY(open_socket(endpoint));
  const int on = 1;
  // Without it a restart on the same port fails while old connections linger in TIME_WAIT.
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return system_failure();
  if (::bind(socket.get(), endpoint.get(), endpoint.size) != 0) return system_failure();
  if (::listen(socket.get(), limits::listen_backlog_max) != 0) return system_failure();
  return socket;
}

Accepted accept_some(int listener_fd) {
  int fd = -1;
  do fd = ::accept4(listener_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  while (fd < 0 && errno == EINTR);
  if (fd >= 0) return {.socket = FileDescriptor(fd)};
  const int error = errno;
  return {.socket = {}, .status = accept_failure(error), .error = error};
}

Result<FileDescriptor> connect_tcp(std::string_view address, std::uint16_t port) {
  const Endpoint endpoint = OUTPOST_TRY(parse_endpoint(address, port));
  FileDescriptor socket = OUTPOST_TRY(open_socket(endpoint));
  // A connect that was interrupted goes on in the background like one in progress (connect(2), POSIX).
  const bool failed = ::connect(socket.get(), endpoint.get(), endpoint.size) != 0;
  if (failed && errno != EINPROGRESS && errno != EINTR) return system_failure();
  return socket;
}

int connect_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

Result<std::string> local_address(int fd) {
  Endpoint endpoint{.size = sizeof(sockaddr_storage)};
  if (::getsockname(fd, endpoint.get(), &endpoint.size) != 0) return system_failure();
  return endpoint_text(endpoint);
}

Result<std::string> peer_address(int fd) {
  Endpoint endpoint{.size = sizeof(sockaddr_storage)};
  if (::getpeername(fd, endpoint.get(), &endpoint.size) != 0) return system_failure();
  return endpoint_text(endpoint);
}

std::size_t unacknowledged_bytes(int fd) {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void set_tcp_user_timeout(int fd, std::chrono::milliseconds timeout) {
  const auto milliseconds = static_cast<unsigned>(timeout.count());
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

void set_tcp_nodelay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace outpost::os
