#pragma once

#include <list>
#include <memory>
#include <string>

#include "transport/http_head.h"
#include "transport/pending_connections.h"
#include "transport/upgrade.h"

namespace outpost::transport {

/// One connection until it becomes a websocket or ends: reads requests, writes answers.
class PendingConnection {
 public:
  using Place = std::list<std::unique_ptr<PendingConnection>>::iterator;

  PendingConnection(PendingConnections& all, PendingConnections::Arrival arrival);
  /// `place` is this connection in the list of all.
  void start(Place place);
  /// Ends it for the sake of a newer one.
  void make_room() { end("a newer connection needed its place"); }

 private:
  void on_readable();
  void take(std::string_view bytes);
  /// Handles the head that was collected; false when the connection is done.
  bool handle_head(std::string_view rest);
  bool answer(const channel::HttpAnswer& answer, const AnswerForm& form);
  void upgrade(Upgrade upgrade, std::string_view rest);
  bool send(std::string_view text);
  /// `reason` is for the log; empty: nothing to tell.
  void end(std::string_view reason);
  void log_refusal(const channel::HttpAnswer& answer) const;

  PendingConnections& all_;
  std::unique_ptr<ByteStream> stream_;
  std::string peer_;
  std::string subject_;
  Place place_;
  bool done_ = false;
  HeadCollector head_;
  Timer deadline_;
};

}  // namespace outpost::transport
