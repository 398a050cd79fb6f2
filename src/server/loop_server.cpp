#include "server/loop_server.h"

#include <utility>

#include "rpc/peer.h"

namespace outpost::server {

LoopServer::LoopServer(Loop& loop, Capabilities capabilities, Shared& shared, std::size_t loop_index, std::size_t loops)
    : loop_(loop),
      capabilities_(capabilities),
      shared_(shared),
      sessions_(loop, capabilities.processes, shared.options, shared.counts, loop_index, loops) {}

LoopServer::~LoopServer() = default;

void LoopServer::accept(std::unique_ptr<channel::Channel> channel, std::string subject) {
  if (ending_) return;
  auto peer = std::make_shared<rpc::Peer>(std::move(channel), parser_,
                                          rpc::Peer::Settings{.recorder = shared_.recorder});
  auto connection = std::make_unique<Connection>(*this, std::move(peer), std::move(subject));
  Connection& started = *connection;
  connections_.emplace(&started, std::move(connection));
  started.start();
}

void LoopServer::drop(Connection& connection, const std::string&) {
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
