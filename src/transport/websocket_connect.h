#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "channel/channel.h"
#include "transport/loop_resources.h"
#include "transport/ws_url.h"

namespace outpost::transport {

using ConnectDone = std::move_only_function<void(Result<std::unique_ptr<channel::Channel>>)>;

/// One attempt to open a websocket; destroying it gives the attempt up, and `done` is not called any more. It may be
/// destroyed from within `done`.
class ConnectAttempt {
 public:
  /// How far it got; stays when the attempt has ended.
  enum class Progress {
    connecting,
    connected,
    answered,  ///< the server has said something: an HTTP answer, or what is none
  };
  virtual ~ConnectAttempt() = default;
  virtual Progress progress() const = 0;
};

/// Opens a websocket to one literal address: connects, upgrades (RFC 6455, 4.1). `done` is called once, from the loop,
/// within `timeout`. `resources` must outlive the attempt and the channel.
[[nodiscard]] std::unique_ptr<ConnectAttempt> connect_websocket(LoopResources& resources, const std::string& address,
                                                                const WsUrl& url, std::chrono::milliseconds timeout,
                                                                ConnectDone done);

}  // namespace outpost::transport
