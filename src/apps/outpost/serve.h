#pragma once

#include <string>
#include <vector>

#include "apps/outpost/stderr_log.h"
#include "base/limits/file_reads.h"
#include "local/process/containment.h"
#include "local/process/local_process_host.h"
#include "server/options.h"
#include "server/websocket_auth.h"
#include "transport/pending_connections.h"
#include "transport/tls_server.h"

namespace outpost::apps {

/// What `outpost serve` was told on the command line.
struct ServeOptions {
  std::vector<std::string> listen;  ///< `--listen` values; empty: a free port of the loopback address
  bool allow_unauthenticated = false;
  server::WebsocketAuthOptions auth;
  std::size_t loops = 1;
  std::size_t file_workers = limits::file_workers;                        ///< threads for work on files that may block
  local::ContainmentLevel containment = local::ContainmentLevel::cgroup;  ///< the best that is tried
  local::LocalProcessHost::Settings processes;
  std::size_t retained_bytes_max = limits::retained_bytes_everywhere_max;
  transport::PendingConnections::Settings pending;
  transport::TlsServer::Files tls;  ///< both empty: none
  StderrLog::Settings log;
  server::Options server;
};

/// Runs the server under its guard until a signal ends it; returns the exit status.
int serve(ServeOptions options);

}  // namespace outpost::apps
