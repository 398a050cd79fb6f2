#include "apps/outpost/worker.h"

#include <utility>

#include "base/limits/receipts.h"
#include "transport/line_channel.h"
#include "transport/socket_stream.h"
#include "transport/websocket_channel.h"

namespace outpost::apps {

Worker::Worker(const Machine& machine, server::Shared& shared, std::size_t index, std::size_t workers)
    : resources_(loop_),
      processes_(loop_, machine.spawn_thread, machine.containment, machine.processes),
      files_(loop_, machine.file_workers),
      server_(loop_, {.processes = processes_, .files = files_}, shared, index, workers) {}

void Worker::accept(transport::UpgradedConnection connection) {
  // The server asks whether the other end lives; what the system can notice by itself it notices in the same time.
  connection.stream->limit_silence(server_.options().ping_interval * limits::silent_intervals_max);
  connection.stream->adopt(loop_);
  transport::WebsocketChannel::Settings settings{.role = transport::Role::server,
                                                 .peer = std::move(connection.peer),
                                                 .early_input = std::move(connection.early_input)};
  server_.accept(
      std::make_unique<transport::WebsocketChannel>(resources_, std::move(connection.stream), std::move(settings)),
      std::move(connection.subject));
}

void Worker::accept_lines(os::FileDescriptor socket, std::function<void()> on_end) {
  auto stream = std::make_unique<transport::SocketStream>(loop_, std::move(socket));
  server_.accept(std::make_unique<transport::LineChannel>(resources_, std::move(stream), std::move(on_end)), "stdio");
}

void Worker::adopt(server::MovedConnection moved) {
  auto channel = transport::WebsocketChannel::recompose(resources_, std::move(moved.channel));
  server_.adopt(std::move(channel), std::move(moved));
}

}  // namespace outpost::apps
