#include "transport/websocket_listener.h"

#include <utility>

#include "transport/pending_connection.h"

namespace outpost::transport {

WebsocketListener::WebsocketListener(Loop& loop, os::FileDescriptor socket, channel::UpgradeCheck check,
                                     OnUpgraded on_upgraded, Settings settings)
    : loop_(loop),
      socket_(std::move(socket)),
      check_(std::move(check)),
      on_upgraded_(std::move(on_upgraded)),
      settings_(settings),
      watch_(loop, socket_.get(), [this] { on_acceptable(); }),
      pause_(loop) {
  watch_.wait_readable();
}

WebsocketListener::~WebsocketListener() = default;

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
  Result<std::string> peer = os::peer_address(socket.get());
  if (!peer) return;  // gone already
  os::set_tcp_nodelay(socket.get());
  while (!pending_.empty() && pending_.size() >= settings_.pending_max) pending_.pop_front();
  pending_.push_back(std::make_unique<PendingConnection>(*this, std::move(socket), *std::move(peer)));
  pending_.back()->start(std::prev(pending_.end()));
}

void WebsocketListener::drop(Pending::iterator place) {
  loop_.destroy_later(std::move(*place));
  pending_.erase(place);
}

}  // namespace outpost::transport
