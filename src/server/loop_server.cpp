#include "server/loop_server.h"

#include <array>
#include <utility>

#include "rpc/peer.h"
#include "server/handlers.h"

namespace outpost::server {

namespace {
std::string_view name_of(channel::TransportKind kind) {
  switch (kind) {
    case channel::TransportKind::websocket:
      return "websocket";
    case channel::TransportKind::stdio:
      return "stdio";
    case channel::TransportKind::relay:
      return "relay";
  }
  return "other";
}

std::array<telemetry::Label, 1> label_of(channel::TransportKind kind) {
  return {telemetry::Label{"transport", name_of(kind)}};
}
}  // namespace

LoopServer::LoopServer(Loop& loop, Capabilities capabilities, Shared& shared, std::size_t loop_index, std::size_t loops)
    : loop_(loop),
      loop_index_(loop_index),
      loops_(loops),
      capabilities_(capabilities),
      shared_(shared),
      sessions_(loop, capabilities.processes, shared, loop_index, loops) {}

LoopServer::~LoopServer() = default;

Connection& LoopServer::add(std::unique_ptr<channel::Channel> channel, std::string subject,
                            std::shared_ptr<rpc::Peer>& peer) {
  peer = std::make_shared<rpc::Peer>(std::move(channel), parser_,
                                     rpc::Peer::Settings{.recorder = shared_.recorder, .log = shared_.log});
  auto connection = std::make_unique<Connection>(*this, peer, std::move(subject));
  Connection& added = *connection;
  connections_.emplace(&added, std::move(connection));
  return added;
}

void LoopServer::accept(std::unique_ptr<channel::Channel> channel, std::string subject) {
  if (ending_) return;
  const channel::TransportKind kind = channel->kind();
  if (shared_.recorder != nullptr) shared_.recorder->add(telemetry::Counter::connections, label_of(kind), 1);
  count_active(kind, +1);
  telemetry::log_event(shared_.log, telemetry::LogLevel::info, "connection opened",
                       {{"peer", channel->peer()}, {"transport", name_of(kind)}});
  std::shared_ptr<rpc::Peer> peer;
  add(std::move(channel), std::move(subject), peer).start();
}

void LoopServer::adopt(std::unique_ptr<channel::Channel> channel, MovedConnection moved) {
  if (ending_) return count_active(channel->kind(), -1);
  std::shared_ptr<rpc::Peer> peer;
  Connection& connection = add(std::move(channel), std::move(moved.subject), peer);
  connection.adopt(moved);
  connection.start();
  initialize(connection, std::move(moved.params), peer->adopt_request(std::move(moved.id), std::move(moved.record)));
}

void LoopServer::count_active(channel::TransportKind kind, int change) {
  if (shared_.recorder == nullptr) return;
  shared_.recorder->add(telemetry::Gauge::connections_active, label_of(kind), change);
}

void LoopServer::drop(Connection& connection, channel::TransportKind kind) {
  count_active(kind, -1);
  forget(connection);
}

void LoopServer::hand_over(std::size_t loop_index, Connection& connection, MovedConnection moved) {
  shared_.hand_over(loop_index, std::move(moved));
  forget(connection);
}

void LoopServer::run_on(std::size_t loop_index, ServerTask task) {
  if (loop_index == loop_index_) return task(*this);
  shared_.post_to(loop_index, std::move(task));
}

void LoopServer::forget(Connection& connection) {
  // It is on the stack, in the handler that told of its end.
  const auto found = connections_.find(&connection);
  if (found == connections_.end()) return;
  std::shared_ptr<Connection> ended = std::move(found->second);
  connections_.erase(found);
  loop_.post([ended = std::move(ended)]() mutable { ended.reset(); });
}

void LoopServer::end_all() {
  ending_ = true;
  for (auto& [key, connection] : connections_) connection->close("the server ends");
  sessions_.end_all();
}

}  // namespace outpost::server
