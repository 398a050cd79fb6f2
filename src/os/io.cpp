#include "os/io.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace outpost::os {
namespace {

template <class Call>
ssize_t retry_interrupted(Call call) {
  ssize_t moved = 0;
  do moved = call();
  while (moved < 0 && errno == EINTR);
  return moved;
}

IoCount moved_bytes(ssize_t moved) {
  return {.bytes = static_cast<std::size_t>(moved)};
}

IoCount read_outcome(ssize_t moved, bool empty_buffer) {
  if (moved > 0 || (moved == 0 && empty_buffer)) return moved_bytes(moved);
  if (moved == 0) return {.status = IoCount::end};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {.status = IoCount::would_block};
  return {.status = IoCount::failed, .error = errno};
}

IoCount write_outcome(ssize_t moved) {
  if (moved >= 0) return moved_bytes(moved);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {.status = IoCount::would_block};
  const bool peer_gone = errno == EPIPE || errno == ECONNRESET;
  return {.status = peer_gone ? IoCount::end : IoCount::failed, .error = errno};
}

}  // namespace

IoCount read_some(int fd, MutableBytes into) {
  IoCount outcome = read_outcome(retry_interrupted([&] { return ::read(fd, into.data(), into.size()); }), into.empty());
  // A failing disk gives EIO as well, and that must never look like the end of a file.
  if (outcome.error == EIO && ::isatty(fd) == 1) return {.status = IoCount::end};
  return outcome;
}

IoCount write_some(int fd, ByteView from) {
  return write_outcome(retry_interrupted([&] { return ::write(fd, from.data(), from.size()); }));
}

IoCount write_gathered(int fd, std::span<const ByteView> pieces) {
  std::array<iovec, gathered_pieces> parts;
  const std::size_t count = std::min(pieces.size(), parts.size());
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = {.iov_base = const_cast<std::byte*>(pieces[i].data()), .iov_len = pieces[i].size()};
  }
  return write_outcome(retry_interrupted([&] { return ::writev(fd, parts.data(), static_cast<int>(count)); }));
}

IoCount receive_some(int fd, MutableBytes into) {
  const auto receive = [&] { return ::recv(fd, into.data(), into.size(), MSG_DONTWAIT); };
  return read_outcome(retry_interrupted(receive), into.empty());
}

IoCount send_some(int fd, ByteView from) {
  return write_outcome(
      retry_interrupted([&] { return ::send(fd, from.data(), from.size(), MSG_NOSIGNAL | MSG_DONTWAIT); }));
}

Result<Pipe> make_pipe(Blocking read_end, Blocking write_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail(ErrorKind::io, os_error_text(errno));
  Pipe pipe{FileDescriptor(fds[0]), FileDescriptor(fds[1])};
  if (read_end == Blocking::no) OUTPOST_CHECK_OK(set_nonblocking(fds[0]));
  if (write_end == Blocking::no) OUTPOST_CHECK_OK(set_nonblocking(fds[1]));
  return pipe;
}

Result<> set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return fail(ErrorKind::io, os_error_text(errno));
  return {};
}

std::size_t pipe_bytes_available(int fd) {
  int bytes = 0;
  if (::ioctl(fd, FIONREAD, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::size_t>(bytes);
}

bool set_pipe_size(int fd, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(INT_MAX)) return false;
  return ::fcntl(fd, F_SETPIPE_SZ, static_cast<int>(bytes)) >= 0;
}

Result<FileDescriptor> duplicate(int fd) {
  FileDescriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail(ErrorKind::io, os_error_text(errno));
  return copy;
}

}  // namespace outpost::os
