#include "os/unix_address.h"

#include <cstddef>
#include <cstring>

namespace outpost::os {

std::optional<UnixAddress> unix_address(std::string_view text) {
  if (text.empty() || text.size() > unix_path_bytes_max) return std::nullopt;
  UnixAddress made;
  made.address.sun_family = AF_UNIX;
  std::memcpy(made.address.sun_path, text.data(), text.size());
  const bool abstract = text.front() == '@';
  if (abstract) made.address.sun_path[0] = '\0';
  // A path has a NUL byte at its end, which a name may not have.
  made.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + (abstract ? 0 : 1));
  return made;
}

}  // namespace outpost::os
