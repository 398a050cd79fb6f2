#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/limits/connections.h"
#include "base/loop.h"
#include "channel/upgrade.h"
#include "telemetry/log.h"
#include "transport/byte_stream.h"

namespace outpost::transport {

/// A connection on which a websocket was opened; a value that may go to another loop.
struct UpgradedConnection {
  std::unique_ptr<ByteStream> stream;  ///< off its loop: `ByteStream::adopt` it
  std::string peer;                    ///< `127.0.0.1:57904`, or `unix:///PATH` of the listener
  std::string subject;                 ///< who it is (extensions 3)
  std::string early_input;             ///< what came behind the request already
};

class PendingConnection;

/// The connections of all listeners of a server that aren't websockets yet: what they ask is answered, and what becomes
/// a websocket is handed over (processes-and-sessions 10). They are bounded in number and time: the oldest makes room
/// for a new one, and each has its time from its arrival, a TLS handshake included, whatever it asks. Belongs to its
/// loop.
class PendingConnections {
 public:
  using OnUpgraded = std::function<void(UpgradedConnection)>;

  struct Settings {
    std::size_t pending_max = limits::pending_connections_max;
    std::chrono::milliseconds handshake_timeout = limits::handshake_timeout;
    telemetry::Log* log = nullptr;  ///< null: nothing is logged
  };
  /// Who has come, as far as the listener knows.
  struct Arrival {
    std::unique_ptr<ByteStream> stream;
    std::string peer;
    std::string subject{channel::anonymous_subject};  ///< if no credentials are asked for
  };

  /// `check` judges credentials; empty lets everyone in.
  PendingConnections(Loop& loop, channel::UpgradeCheck check, OnUpgraded on_upgraded, Settings settings);
  PendingConnections(const PendingConnections&) = delete;
  PendingConnections& operator=(const PendingConnections&) = delete;
  ~PendingConnections();

  void admit(Arrival arrival);
  std::size_t size() const { return list_.size(); }

 private:
  friend class PendingConnection;
  using List = std::list<std::unique_ptr<PendingConnection>>;

  /// Removes a connection once the handler at hand is done with it.
  void drop(List::iterator place);

  Loop& loop_;
  channel::UpgradeCheck check_;
  OnUpgraded on_upgraded_;
  Settings settings_;
  List list_;  // the oldest first
};

}  // namespace outpost::transport
