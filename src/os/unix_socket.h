#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/fd.h"

/// Unix sockets (unix(7)), by their path.
namespace outpost::os {

/// The file of a listening socket. Its end removes it, if the path still names that one.
class UnixSocketFile {
 public:
  UnixSocketFile() = default;
  UnixSocketFile(std::string path, std::uint64_t device, std::uint64_t inode)
      : path_(std::move(path)), device_(device), inode_(inode) {}
  UnixSocketFile(UnixSocketFile&& other) noexcept { *this = std::move(other); }
  UnixSocketFile& operator=(UnixSocketFile&& other) noexcept;
  ~UnixSocketFile() { remove(); }

 private:
  void remove();
  std::string path_;  // empty: none
  std::uint64_t device_ = 0, inode_ = 0;
};

struct UnixListener {
  FileDescriptor socket;  ///< close on exec, not blocking
  UnixSocketFile file;
};
/// Listens at `path`, which nobody but this user (and root) may connect to: mode 0600 from its first moment. A socket
/// file at which nobody answers is replaced; one at which somebody does is `Address in use (os error 98)`, as is any
/// other file.
Result<UnixListener> listen_unix(const std::string& path);

/// The user who connected, as the kernel reports it (SO_PEERCRED).
Result<uid_t> peer_user(int fd);

/// Two sockets connected with each other; they close on exec and block.
struct SocketPair {
  FileDescriptor first;
  FileDescriptor second;
};
Result<SocketPair> make_socket_pair();

}  // namespace outpost::os
