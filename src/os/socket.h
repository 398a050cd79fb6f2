#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::os {

/// Opens a listening TCP socket (close on exec, not blocking, SO_REUSEADDR). `address` is a literal IPv4 or IPv6
/// address without brackets (with a scope, `%2` or `%eth0`, if it needs one); names are `invalid_input`. Port 0 picks
/// one. The message of a failed bind is the system's alone: `Address in use (os error 98)`.
Result<FileDescriptor> listen_tcp(std::string_view address, std::uint16_t port);

struct Accepted {
  enum Status {
    ok,              ///< `socket` is connected, closes on exec and doesn't block
    would_block,     ///< nobody waits
    gone,            ///< that one peer gave up, or its network failed: try the next one
    no_descriptors,  ///< EMFILE, ENFILE, ENOBUFS, ENOMEM: pause, the listener stays ready
    failed,          ///< the listener itself is broken
  };
  FileDescriptor socket;
  Status status = ok;
  int error = 0;
};
Accepted accept_some(int listener_fd);

/// Starts to connect to a literal address; returns at once with a socket (close on exec, not blocking) that becomes
/// writable when the attempt has ended: ask `connect_error` then.
Result<FileDescriptor> connect_tcp(std::string_view address, std::uint16_t port);
/// 0 if the connection stands, else the errno of the attempt. Reading it clears it (SO_ERROR).
int connect_error(int fd);

/// `127.0.0.1:57904`, `[::1]:1`, with a scope `[fe80::1%2]:1`. Other families: `invalid_input`.
Result<std::string> local_address(int fd);
Result<std::string> peer_address(int fd);

/// Bytes of a stream socket that the peer's system hasn't acknowledged (SIOCOUTQ); 0 if it can't be told.
std::size_t unacknowledged_bytes(int fd);
/// How long what was sent may stay unacknowledged before the connection fails (TCP_USER_TIMEOUT); 0: the system's own
/// patience. Best effort: without it the end of a dead peer comes later.
void set_tcp_user_timeout(int fd, std::chrono::milliseconds timeout);

/// Best effort: nothing of ours depends on it but latency.
void set_tcp_nodelay(int fd);

}  // namespace outpost::os
