#pragma once

#include <list>
#include <memory>
#include <string>

#include "transport/http_head.h"
#include "transport/upgrade.h"
#include "transport/websocket_listener.h"

namespace outpost::transport {

/// One connection of a listener until it becomes a websocket or ends: reads requests, writes answers.
class PendingConnection {
 public:
  using Place = std::list<std::unique_ptr<PendingConnection>>::iterator;

  PendingConnection(WebsocketListener& listener, os::FileDescriptor socket, std::string peer);
  /// `place` is this connection in the listener's list.
  void start(Place place);

 private:
  void on_readable();
  void take(std::string_view bytes);
  /// Handles the head that was collected; false when the connection is done.
  bool handle_head(std::string_view rest);
  bool answer(const channel::HttpAnswer& answer, const AnswerForm& form);
  bool upgrade(Upgrade upgrade, std::string_view rest);
  bool send(std::string_view text);
  void end();

  WebsocketListener& listener_;
  os::FileDescriptor socket_;
  std::string peer_;
  Place place_;
  bool done_ = false;
  HeadCollector head_;
  std::unique_ptr<Watch> watch_;
  Timer deadline_;
};

}  // namespace outpost::transport
