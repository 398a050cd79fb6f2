#pragma once

#include <memory>
#include <utility>

#include "base/watch.h"
#include "os/fd.h"
#include "os/io.h"
#include "os/socket.h"
#include "transport/byte_stream.h"

namespace outpost::transport {

/// What every stream over a connected socket knows, whatever goes through it.
class SocketBase : public ByteStream {
 public:
  void adopt(Loop& loop) override { loop_ = &loop; }
  /// Of the socket: more than 0 says that the peer lives, not how much of it is content.
  std::size_t unread() const override { return os::pipe_bytes_available(socket_.get()); }
  std::size_t unacknowledged() const override { return os::unacknowledged_bytes(socket_.get()); }
  void limit_silence(std::chrono::milliseconds most) override { os::set_tcp_user_timeout(socket_.get(), most); }

 protected:
  SocketBase(Loop& loop, os::FileDescriptor socket) : loop_(&loop), socket_(std::move(socket)) {}

  Loop* loop_;
  os::FileDescriptor socket_;
  std::unique_ptr<Watch> watch_;  // borrows the socket
};

}  // namespace outpost::transport
