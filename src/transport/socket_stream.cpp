#include "transport/socket_stream.h"

#include <sys/socket.h>

#include <utility>

namespace outpost::transport {

Result<> SocketStream::bind(std::function<void()> on_readable, std::function<void()> on_writable) {
  watch_.reset();  // it borrows the descriptor: the old one must be gone first
  watch_ = OUTPOST_TRY(Watch::create(*loop_, socket_.get(), std::move(on_readable), std::move(on_writable)));
  return {};
}

void SocketStream::shut_down() {
  ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace outpost::transport
