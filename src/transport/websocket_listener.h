#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/limits/connections.h"
#include "base/loop.h"
#include "base/watch.h"
#include "channel/upgrade.h"
#include "os/fd.h"
#include "os/socket.h"

namespace outpost::transport {

/// A socket on which a websocket was opened; a value that may go to another loop.
struct UpgradedSocket {
  os::FileDescriptor socket;
  std::string peer;         ///< `127.0.0.1:57904`
  std::string subject;      ///< who it is (extensions 3)
  std::string early_input;  ///< what came behind the request already
};

class PendingConnection;

/// Listens on one address, answers HTTP there and hands over what becomes a websocket (processes-and-sessions 10).
/// Connections that haven't upgraded are bounded in number and time: the oldest makes room for a new one, and each has
/// `limits::handshake_timeout` from its arrival, whatever it asks. Belongs to its loop.
class WebsocketListener {
 public:
  using OnUpgraded = std::function<void(UpgradedSocket)>;

  struct Settings {
    std::size_t pending_max = limits::pending_connections_max;
    std::chrono::milliseconds handshake_timeout = limits::handshake_timeout;
  };

  /// `socket` listens already. `check` judges credentials; empty lets everyone in.
  WebsocketListener(Loop& loop, os::FileDescriptor socket, channel::UpgradeCheck check, OnUpgraded on_upgraded,
                    Settings settings);
  ~WebsocketListener();

  std::size_t pending() const { return pending_.size(); }

 private:
  friend class PendingConnection;
  using Pending = std::list<std::unique_ptr<PendingConnection>>;

  void on_acceptable();
  void admit(os::FileDescriptor socket);
  /// Removes a connection once the handler at hand is done with it.
  void drop(Pending::iterator place);

  Loop& loop_;
  os::FileDescriptor socket_;
  channel::UpgradeCheck check_;
  OnUpgraded on_upgraded_;
  Settings settings_;
  Pending pending_;  // the oldest first
  Watch watch_;
  Timer pause_;
};

}  // namespace outpost::transport
