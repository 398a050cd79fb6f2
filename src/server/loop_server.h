#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/loop.h"
#include "capability/file_system.h"
#include "capability/process_host.h"
#include "channel/channel.h"
#include "server/connection.h"
#include "server/session_table.h"
#include "server/shared.h"
#include "wire/envelope.h"

namespace outpost::server {

/// What the machine offers, as the server uses it on one loop. Borrowed.
struct Capabilities {
  capability::ProcessHost& processes;
  capability::FileSystem& files;
};

/// The server's part on one loop: its connections and its sessions.
class LoopServer {
 public:
  LoopServer(Loop& loop, Capabilities capabilities, Shared& shared, std::size_t loop_index, std::size_t loops);
  ~LoopServer();

  /// Serves a new connection of `subject`.
  void accept(std::unique_ptr<channel::Channel> channel, std::string subject);
  /// Serves a connection that came from another loop, its channel made anew here; its `initialize` is answered.
  void adopt(std::unique_ptr<channel::Channel> channel, MovedConnection moved);
  std::size_t loop_index() const { return loop_index_; }
  std::size_t loops() const { return loops_; }
  /// Drops all connections and ends all sessions with their processes. Nothing is accepted any more.
  void end_all();

  Loop& loop() { return loop_; }
  const Options& options() const { return shared_.options; }
  telemetry::Log* log() const { return shared_.log; }
  const std::string& environment_info_json() const { return shared_.environment_info_json; }
  SessionTable& sessions() { return sessions_; }
  capability::FileSystem& files() { return capabilities_.files; }
  std::size_t connections() const { return connections_.size(); }

  /// Does a task on the loop of that index: at once if it is this one.
  void run_on(std::size_t loop_index, ServerTask task);

  /// For a connection whose channel, of this kind, is over.
  void drop(Connection& connection, channel::TransportKind kind);
  /// Gives a connection that was dissolved to the loop of that index; what is left of it here is dropped.
  void hand_over(std::size_t loop_index, Connection& connection, MovedConnection moved);

 private:
  /// How many are active: from their acceptance to their end, on whatever loop.
  void count_active(channel::TransportKind kind, int change);
  void forget(Connection& connection);
  Connection& add(std::unique_ptr<channel::Channel> channel, std::string subject, std::shared_ptr<rpc::Peer>& peer);

  Loop& loop_;
  std::size_t loop_index_, loops_;
  Capabilities capabilities_;
  Shared& shared_;
  wire::MessageParser parser_;
  SessionTable sessions_;
  bool ending_ = false;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
};

}  // namespace outpost::server
