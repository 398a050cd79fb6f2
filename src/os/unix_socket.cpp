#include "os/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/limits/system.h"
#include "os/unix_address.h"

namespace outpost::os {
namespace {

std::unexpected<Error> system_failure() {
  return fail(ErrorKind::io, os_error_text(errno));
}

Result<FileDescriptor> open_socket() {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return system_failure();
  return socket;
}

/// Whether a socket file is there at which nobody listens.
bool is_stale(const std::string& path, const UnixAddress& address) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const auto socket = open_socket();
  return socket && ::connect(socket->get(), address.raw(), address.size) != 0 && errno == ECONNREFUSED;
}

}  // namespace

Result<UnixListener> listen_unix(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) {
    return fail(ErrorKind::invalid_input, "the path has more than " + std::to_string(unix_path_bytes_max) + " bytes");
  }
  FileDescriptor socket = OUTPOST_TRY(open_socket());
  // The file gets the mode of the socket, less the umask: there is no moment in which others could connect.
  if (::fchmod(socket.get(), S_IRUSR | S_IWUSR) != 0) return system_failure();
  int bound = ::bind(socket.get(), address->raw(), address->size);
  if (bound != 0 && errno == EADDRINUSE && is_stale(path, *address)) {
    ::unlink(path.c_str());
    bound = ::bind(socket.get(), address->raw(), address->size);
  }
  if (bound != 0) return system_failure();
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return system_failure();
  if (::listen(socket.get(), limits::listen_backlog_max) != 0) return system_failure();
  return UnixListener{std::move(socket), UnixSocketFile(path, status.st_dev, status.st_ino)};
}

UnixSocketFile& UnixSocketFile::operator=(UnixSocketFile&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

void UnixSocketFile::remove() {
  struct stat status;
  if (path_.empty() || ::lstat(path_.c_str(), &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) ::unlink(path_.c_str());
}

Result<uid_t> peer_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return system_failure();
  return peer.uid;
}

Result<SocketPair> make_socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return system_failure();
  return SocketPair{FileDescriptor(fds[0]), FileDescriptor(fds[1])};
}

}  // namespace outpost::os
