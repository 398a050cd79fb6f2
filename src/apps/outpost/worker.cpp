#include "apps/outpost/worker.h"

#include <utility>

#include "transport/socket_stream.h"
#include "transport/websocket_channel.h"

namespace outpost::apps {

Worker::Worker(const Machine& machine, server::Shared& shared, std::size_t index, std::size_t workers)
    : resources_(loop_),
      processes_(loop_, machine.spawn_thread, machine.containment, machine.processes),
      files_(loop_, machine.file_workers),
      server_(loop_, {.processes = processes_, .files = files_}, shared, index, workers) {}

void Worker::accept(transport::UpgradedSocket socket, std::chrono::milliseconds ping_interval) {
  auto stream = std::make_unique<transport::SocketStream>(loop_, std::move(socket.socket));
  transport::WebsocketChannel::Settings settings{.role = transport::Role::server,
                                                 .peer = std::move(socket.peer),
                                                 .ping_interval = ping_interval,
                                                 .early_input = std::move(socket.early_input)};
  server_.accept(std::make_unique<transport::WebsocketChannel>(resources_, std::move(stream), std::move(settings)),
                 std::move(socket.subject));
}

void Worker::adopt(server::MovedConnection moved) {
  auto channel = transport::WebsocketChannel::recompose(resources_, std::move(moved.channel));
  server_.adopt(std::move(channel), std::move(moved));
}

}  // namespace outpost::apps
