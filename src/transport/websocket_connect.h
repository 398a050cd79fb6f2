#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "channel/channel.h"
#include "transport/loop_resources.h"
#include "transport/ws_url.h"

namespace outpost::transport {

using ConnectDone = std::move_only_function<void(Result<std::unique_ptr<channel::Channel>>)>;

/// Opens a websocket to one literal address: connects, upgrades (RFC 6455, 4.1). `done` is called once, from the loop,
/// within `timeout`. `resources` must outlive the channel.
void connect_websocket(LoopResources& resources, const std::string& address, const WsUrl& url,
                       std::chrono::milliseconds timeout, ConnectDone done);

}  // namespace outpost::transport
