#pragma once

#include <memory>

#include "base/loop.h"
#include "local/files/local_file_system.h"
#include "local/process/local_process_host.h"
#include "server/loop_server.h"
#include "transport/loop_resources.h"
#include "transport/websocket_listener.h"

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
  void accept(transport::UpgradedSocket socket, std::chrono::milliseconds ping_interval);
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
