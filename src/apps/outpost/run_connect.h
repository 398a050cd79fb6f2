#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/websocket_connect.h"

namespace outpost::apps {

/// Opens a websocket to the first of several addresses that gives one. Belongs to its loop; destroying it gives up,
/// also from within `done`.
class Connector {
 public:
  /// `addresses` are at least one. `done` is called once; the error is that of the attempt that got furthest. Whoever
  /// answers is who was meant: no further address is tried behind an answer that isn't a websocket.
  Connector(transport::LoopResources& resources, transport::WsUrl url, std::vector<std::string> addresses,
            transport::ConnectDone done);

 private:
  void try_next();
  void take(Result<std::unique_ptr<channel::Channel>> outcome);

  transport::LoopResources& resources_;
  transport::WsUrl url_;
  std::vector<std::string> addresses_;
  transport::ConnectDone done_;
  std::size_t next_ = 0;
  std::unique_ptr<transport::ConnectAttempt> attempt_;
  transport::ConnectAttempt::Progress furthest_ = transport::ConnectAttempt::Progress::connecting;
  Error error_;  // of the attempt that got furthest, the first one of several
};

}  // namespace outpost::apps
