#include "transport/websocket_listener.h"

#include <utility>

#include "os/socket.h"
#include "os/unix_socket.h"
#include "transport/socket_stream.h"

namespace outpost::transport {

WebsocketListener::WebsocketListener(Loop& loop, os::FileDescriptor socket, PendingConnections& pending,
                                     Settings settings)
    : loop_(loop),
      socket_(std::move(socket)),
      pending_(pending),
      settings_(std::move(settings)),
      watch_(loop, socket_.get(), [this] { on_acceptable(); }),
      pause_(loop) {
  watch_.wait_readable();
}

void WebsocketListener::on_acceptable() {
  for (std::size_t i = 0; i < limits::accepts_per_turn_max; ++i) {
    os::Accepted accepted = os::accept_some(socket_.get());
    switch (accepted.status) {
      case os::Accepted::ok:
        admit(std::move(accepted.socket));
        break;
      case os::Accepted::gone:
        break;
      case os::Accepted::would_block:
        return watch_.wait_readable();
      case os::Accepted::no_descriptors:
      case os::Accepted::failed:
        // The one who waits stays in the backlog until there are descriptors again.
        return pause_.start(limits::accept_pause, [this] { watch_.wait_readable(); });
    }
  }
  watch_.wait_readable();
}

void WebsocketListener::admit(os::FileDescriptor socket) {
  PendingConnections::Arrival arrival;
  if (settings_.unix_url.empty()) {
    Result<std::string> peer = os::peer_address(socket.get());
    if (!peer) return;  // gone already
    arrival.peer = *std::move(peer);
    os::set_tcp_nodelay(socket.get());
  } else {
    const Result<uid_t> user = os::peer_user(socket.get());
    if (!user) return;
    arrival.peer = settings_.unix_url;
    arrival.subject = "unix:" + std::to_string(*user);
  }
  if (settings_.tls != nullptr) {
    arrival.stream = settings_.tls->accept(loop_, std::move(socket));
  } else {
    arrival.stream = std::make_unique<SocketStream>(loop_, std::move(socket));
  }
  if (arrival.stream) pending_.admit(std::move(arrival));
}

}  // namespace outpost::transport
