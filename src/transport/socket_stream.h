#pragma once

#include <memory>

#include "base/watch.h"
#include "os/fd.h"
#include "os/io.h"
#include "os/socket.h"
#include "transport/byte_stream.h"

namespace outpost::transport {

/// A connected socket, TCP or unix, as it is.
class SocketStream final : public ByteStream {
 public:
  SocketStream(Loop& loop, os::FileDescriptor socket) : loop_(&loop), socket_(std::move(socket)) {}

  Result<> bind(std::function<void()> on_readable, std::function<void()> on_writable) override;
  os::IoCount read(MutableBytes into) override { return os::receive_some(socket_.get(), into); }
  os::IoCount write(ByteView from) override { return os::send_some(socket_.get(), from); }
  void wait_readable() override { watch_->wait_readable(); }
  void wait_writable() override { watch_->wait_writable(); }
  void leave_loop() override { watch_.reset(); }
  void adopt(Loop& loop) override { loop_ = &loop; }
  std::size_t unread() const override { return os::pipe_bytes_available(socket_.get()); }
  std::size_t unacknowledged() const override { return os::unacknowledged_bytes(socket_.get()); }
  void limit_silence(std::chrono::milliseconds most) override { os::set_tcp_user_timeout(socket_.get(), most); }
  void shut_down() override;

 private:
  Loop* loop_;
  os::FileDescriptor socket_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace outpost::transport
