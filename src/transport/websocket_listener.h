#pragma once

#include <string>

#include "base/loop.h"
#include "base/watch.h"
#include "os/fd.h"
#include "transport/pending_connections.h"
#include "transport/tls_server.h"

namespace outpost::transport {

/// Listens on one address and gives those who come to the pending connections of its server. Belongs to its loop.
class WebsocketListener {
 public:
  struct Settings {
    TlsServer* tls = nullptr;  ///< what is spoken below HTTP; null: nothing. Outlives the listener
    std::string unix_url;      ///< `unix:///PATH`, which all peers are called by; empty: they have addresses
  };

  /// `socket` listens already. `pending` outlives the listener.
  WebsocketListener(Loop& loop, os::FileDescriptor socket, PendingConnections& pending, Settings settings);

 private:
  void on_acceptable();
  void admit(os::FileDescriptor socket);

  Loop& loop_;
  os::FileDescriptor socket_;
  PendingConnections& pending_;
  Settings settings_;
  Watch watch_;
  Timer pause_;
};

}  // namespace outpost::transport
