#pragma once

#include <string>
#include <vector>

#include "server/options.h"
#include "transport/websocket_listener.h"

namespace outpost::apps {

/// What `outpost serve` was told on the command line.
struct ServeOptions {
  std::vector<std::string> listen;  ///< `--listen` values; empty: a free port of the loopback address
  bool allow_unauthenticated = false;
  std::size_t loops = 1;
  std::chrono::milliseconds ping_interval = limits::ping_interval;
  transport::WebsocketListener::Settings listener;
  server::Options server;
};

/// Runs the server under its guard until a signal ends it; returns the exit status.
int serve(ServeOptions options);

}  // namespace outpost::apps
