#pragma once

#include <memory>

#include "base/loop.h"
#include "local/files/local_file_system.h"
#include "local/process/local_process_host.h"
#include "server/loop_server.h"
#include "transport/loop_resources.h"
#include "transport/pending_connections.h"

namespace outpost::apps {

/// One loop of the server with all that belongs to it: what this machine can do, and the server's part of it.
class Worker {
 public:
  struct Machine {
    os::SpawnThread& spawn_thread;
    local::Containment& containment;
    local::WorkerPool& file_workers;
    local::LocalProcessHost::Settings processes;
  };
  Worker(const Machine& machine, server::Shared& shared, std::size_t index, std::size_t workers);

  Loop& loop() { return loop_; }
  server::LoopServer& server() { return server_; }
  /// Serves a new connection; on this worker's loop.
  void accept(transport::UpgradedConnection connection);
  /// Serves whoever speaks through this socket, a message a line; `on_end` is told of the end.
  void accept_lines(os::FileDescriptor socket, std::function<void()> on_end);
  /// Serves a connection that another worker gave away; on this worker's loop.
  void adopt(server::MovedConnection moved);

 private:
  Loop loop_;
  transport::LoopResources resources_;
  local::LocalProcessHost processes_;
  local::LocalFileSystem files_;
  server::LoopServer server_;
};

}  // namespace outpost::apps
