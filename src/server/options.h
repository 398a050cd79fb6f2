#pragma once

#include <chrono>
#include <optional>

#include "base/limits/connections.h"
#include "base/limits/receipts.h"
#include "base/limits/sessions.h"

namespace outpost::server {

/// What the command line sets for the whole server (processes-and-sessions 12).
struct Options {
  std::chrono::milliseconds session_retention = limits::session_retention;
  std::chrono::milliseconds session_retention_max = limits::session_retention_max;
  std::optional<std::size_t> concurrent_requests;  ///< none: only the bound on those in flight; 1: strict order
  std::chrono::milliseconds ping_interval = limits::ping_interval;  ///< 0: nobody is pinged, the dead aren't noticed
  std::chrono::milliseconds resume_probe = limits::resume_probe;    ///< 0: who is attached isn't asked whether it lives
  std::size_t sessions_max = limits::sessions_max;
  std::size_t processes_per_session_max = limits::processes_per_session_max;
  std::size_t processes_max = limits::processes_max;
  bool environment_config = true;  ///< environmentConfig/read is served
};

}  // namespace outpost::server
