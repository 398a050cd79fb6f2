#include "os/service_manager.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/limits/system.h"
#include "os/io.h"
#include "os/socket.h"
#include "os/unix_address.h"

namespace outpost::os {
namespace {

constexpr int first_passed_fd = 3;  // fixed by sd_listen_fds(3)

std::optional<long> number_in(const char* name) {
  const char* text = ::getenv(name);
  long number = 0;
  if (text == nullptr) return std::nullopt;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool listens(int fd) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0;
}

}  // namespace

Result<std::vector<FileDescriptor>> take_passed_sockets() {
  const bool ours = number_in("LISTEN_PID") == ::getpid();
  const long count = number_in("LISTEN_FDS").value_or(0);
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  std::vector<FileDescriptor> sockets;
  if (!ours || count <= 0) return sockets;
  if (count > limits::passed_sockets_max) {
    return fail(ErrorKind::invalid_input, "at most " + std::to_string(limits::passed_sockets_max) +
                                              " sockets may be handed over, LISTEN_FDS is " + std::to_string(count));
  }
  for (int fd = first_passed_fd; fd < first_passed_fd + count; ++fd) {
    if (!listens(fd)) {
      return fail(ErrorKind::invalid_input,
                  "descriptor " + std::to_string(fd) + " of LISTEN_FDS is no listening socket");
    }
    sockets.emplace_back(fd);
    OUTPOST_CHECK_OK(set_nonblocking(fd));
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  return sockets;
}

std::string take_notify_address() {
  const char* address = ::getenv("NOTIFY_SOCKET");
  std::string text = address != nullptr ? address : "";
  ::unsetenv("NOTIFY_SOCKET");
  return text;
}

void notify_service_manager(const std::string& address, std::string_view text) {
  const auto to = unix_address(address);
  if (!to) return;
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ::sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT, to->raw(), to->size);
}

Result<SocketAddress> bound_address(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return fail(ErrorKind::io, os_error_text(errno));
  }
  if (storage.ss_family == AF_UNIX) {
    const auto& address = reinterpret_cast<const sockaddr_un&>(storage);
    const std::size_t bytes = size > offsetof(sockaddr_un, sun_path) ? size - offsetof(sockaddr_un, sun_path) : 0;
    std::string path(address.sun_path, bytes);
    if (path.starts_with('\0')) path[0] = '@';
    return SocketAddress{.is_unix = true, .loopback = true, .text = path.substr(0, path.find('\0'))};
  }
  SocketAddress address{.text = OUTPOST_TRY(local_address(fd))};
  if (storage.ss_family == AF_INET) {
    address.loopback = ntohl(reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr) >> 24 == 127;
  } else {
    address.loopback = IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
  }
  return address;
}

}  // namespace outpost::os
