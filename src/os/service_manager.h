#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

/// The two protocols of a service manager such as systemd: sockets that it opened for us (sd_listen_fds(3)), and a word
/// to it when we are ready or stop (sd_notify(3)).
namespace outpost::os {

/// The sockets handed to this process (LISTEN_PID is its pid, LISTEN_FDS their number), which close on exec and don't
/// block from now on; none where there are none. Each must listen. The variables are taken out of the environment, so
/// that no child of ours takes them for its own. Once, before there are threads.
Result<std::vector<FileDescriptor>> take_passed_sockets();

/// The address that NOTIFY_SOCKET holds, or nothing; the variable is taken out of the environment as well.
std::string take_notify_address();
/// Sends `text`, as `READY=1`, to such an address. Best effort: a service manager that can't be told is no reason to
/// fail. Never blocks.
void notify_service_manager(const std::string& address, std::string_view text);

/// What a listening socket is bound to.
struct SocketAddress {
  bool is_unix = false;
  bool loopback = false;  ///< nobody from outside the machine reaches it
  std::string text;       ///< `127.0.0.1:4500`, `[::1]:4500`, `/run/outpost.sock`
};
Result<SocketAddress> bound_address(int fd);

}  // namespace outpost::os
