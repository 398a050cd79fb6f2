#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string_view>

namespace outpost::os {

/// The address of a unix socket, as system calls take it.
struct UnixAddress {
  sockaddr_un address{};
  socklen_t size = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&address); }
};

/// Of a path, or of a name in the abstract namespace, which is written with `@` for its NUL byte. None if it is empty
/// or longer than `unix_path_bytes_max`.
std::optional<UnixAddress> unix_address(std::string_view text);

inline constexpr std::size_t unix_path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;  // fixed by unix(7)

}  // namespace outpost::os
