#include "apps/outpost/worker.h"

#include <utility>

#include "base/limits/receipts.h"
#include "os/socket.h"
#include "transport/socket_stream.h"
#include "transport/websocket_channel.h"

namespace outpost::apps {

Worker::Worker(const Machine& machine, server::Shared& shared, std::size_t index, std::size_t workers)
    : resources_(loop_),
      processes_(loop_, machine.spawn_thread, machine.containment, machine.processes),
      server_(loop_, {.processes = processes_, .files = files_}, shared, index, workers) {}

void Worker::accept(transport::UpgradedSocket socket) {
  // The server asks whether the other end lives; what the system can notice by itself it notices in the same time.
  os::set_tcp_user_timeout(socket.socket.get(), server_.options().ping_interval * limits::silent_intervals_max);
  auto stream = std::make_unique<transport::SocketStream>(loop_, std::move(socket.socket));
  transport::WebsocketChannel::Settings settings{
      .role = transport::Role::server, .peer = std::move(socket.peer), .early_input = std::move(socket.early_input)};
  server_.accept(std::make_unique<transport::WebsocketChannel>(resources_, std::move(stream), std::move(settings)),
                 std::move(socket.subject));
}

void Worker::adopt(server::MovedConnection moved) {
  auto channel = transport::WebsocketChannel::recompose(resources_, std::move(moved.channel));
  server_.adopt(std::move(channel), std::move(moved));
}

}  // namespace outpost::apps
