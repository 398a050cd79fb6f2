#pragma once

#include <string>
#include <vector>

#include "base/limits/connections.h"
#include "base/limits/file_reads.h"
#include "local/process/containment.h"
#include "local/process/local_process_host.h"
#include "server/options.h"
#include "transport/websocket_listener.h"

namespace outpost::apps {

/// What `outpost serve` was told on the command line.
struct ServeOptions {
  std::vector<std::string> listen;  ///< `--listen` values; empty: a free port of the loopback address
  bool allow_unauthenticated = false;
  std::size_t loops = 1;
  std::size_t file_workers = limits::file_workers;  ///< threads for work on files that may block
  std::chrono::milliseconds ping_interval = limits::ping_interval;
  local::ContainmentLevel containment = local::ContainmentLevel::cgroup;  ///< the best that is tried
  local::LocalProcessHost::Settings processes;
  transport::WebsocketListener::Settings listener;
  server::Options server;
};

/// Runs the server under its guard until a signal ends it; returns the exit status.
int serve(ServeOptions options);

}  // namespace outpost::apps
