#pragma once

#include "transport/socket_base.h"

namespace outpost::transport {

/// A connected socket, TCP or unix, as it is.
class SocketStream final : public SocketBase {
 public:
  SocketStream(Loop& loop, os::FileDescriptor socket) : SocketBase(loop, std::move(socket)) {}

  Result<> bind(std::function<void()> on_readable, std::function<void()> on_writable) override;
  os::IoCount read(MutableBytes into) override { return os::receive_some(socket_.get(), into); }
  os::IoCount write(ByteView from) override { return os::send_some(socket_.get(), from); }
  void wait_readable() override { watch_->wait_readable(); }
  void wait_writable() override { watch_->wait_writable(); }
  void leave_loop() override { watch_.reset(); }
  void shut_down() override;
};

}  // namespace outpost::transport
