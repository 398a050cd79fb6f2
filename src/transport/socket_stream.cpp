#include "transport/socket_stream.h"

#include <sys/socket.h>

#include <utility>

namespace outpost::transport {

void SocketStream::bind(std::function<void()> on_readable, std::function<void()> on_writable) {
  watch_.reset();  // it borrows the descriptor: the old one must be gone first
  watch_ = std::make_unique<Watch>(*loop_, socket_.get(), std::move(on_readable), std::move(on_writable));
}

void SocketStream::shut_down() {
  ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace outpost::transport
