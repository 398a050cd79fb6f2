#include "server/loop_server.h"

#include <array>
#include <utility>

#include "rpc/peer.h"
#include "server/handlers.h"

namespace outpost::server {

LoopServer::LoopServer(Loop& loop, Capabilities capabilities, Shared& shared, std::size_t loop_index, std::size_t loops)
    : loop_(loop),
      loop_index_(loop_index),
      loops_(loops),
      capabilities_(capabilities),
      shared_(shared),
      sessions_(loop, capabilities.processes, shared.options, shared.counts, loop_index, loops) {
  shared.counts.recorder = shared.recorder;
}

LoopServer::~LoopServer() = default;

Connection& LoopServer::add(std::unique_ptr<channel::Channel> channel, std::string subject,
                            std::shared_ptr<rpc::Peer>& peer) {
  peer = std::make_shared<rpc::Peer>(std::move(channel), parser_, rpc::Peer::Settings{.recorder = shared_.recorder});
  auto connection = std::make_unique<Connection>(*this, peer, std::move(subject));
  Connection& added = *connection;
  connections_.emplace(&added, std::move(connection));
  count_connection(+1);
  return added;
}

void LoopServer::accept(std::unique_ptr<channel::Channel> channel, std::string subject) {
  if (ending_) return;
  std::shared_ptr<rpc::Peer> peer;
  add(std::move(channel), std::move(subject), peer).start();
}

void LoopServer::adopt(std::unique_ptr<channel::Channel> channel, MovedConnection moved) {
  if (ending_) return;
  std::shared_ptr<rpc::Peer> peer;
  Connection& connection = add(std::move(channel), std::move(moved.subject), peer);
  initialize(connection, std::move(moved.params), peer->adopt_request(std::move(moved.id)));
  connection.start();
}

void LoopServer::count_connection(int change) {
  if (shared_.recorder == nullptr) return;
  constexpr std::array labels{telemetry::Label{"transport", "websocket"}};
  if (change > 0) shared_.recorder->add(telemetry::Counter::connections, labels, change);
  shared_.recorder->add(telemetry::Gauge::connections_active, labels, change);
}

void LoopServer::drop(Connection& connection, const std::string&) {
  // It is on the stack, in the handler that told of its end.
  const auto found = connections_.find(&connection);
  if (found == connections_.end()) return;
  std::shared_ptr<Connection> ended = std::move(found->second);
  connections_.erase(found);
  count_connection(-1);
  loop_.post([ended = std::move(ended)]() mutable { ended.reset(); });
}

void LoopServer::end_all() {
  ending_ = true;
  for (auto& [key, connection] : connections_) connection->close("the server ends");
  sessions_.end_all();
}

}  // namespace outpost::server
