#pragma once

#include <deque>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "rpc/peer.h"
#include "support/fake_channel.h"
#include "telemetry/recorder.h"

namespace outpost::rpc {

/// Keeps the requests of a peer unanswered, and what else it is told.
class KeepingHandler final : public PeerHandler {
 public:
  void on_request(Request request) override {
    if (request.method == "throw") throw std::bad_alloc();
    methods.emplace_back(request.method);
    replies.push_back(std::move(request.reply));
  }
  Result<> on_notification(std::string_view method, wire::JsonView) override {
    methods.emplace_back(method);
    if (method == "wrong") return fail(ErrorKind::malformed_message, "unexpected notification wrong");
    return {};
  }
  void on_writable() override { ++writable; }
  void on_closed(const std::string& reason) override { closed.push_back(reason); }

  std::vector<std::string> methods;
  std::deque<Reply> replies;
  int writable = 0;
  std::vector<std::string> closed;
};

/// A peer and the other end of its channel.
struct PeerEnds {
  explicit PeerEnds(channel::TransportKind kind = channel::TransportKind::websocket, Peer::Settings settings = {})
      : wire(std::make_shared<testing::FakeWire>(kind)),
        peer(std::make_shared<Peer>(std::make_unique<testing::FakeChannel>(wire), parser, settings)) {
    peer->start(handler);
  }

  std::shared_ptr<testing::FakeWire> wire;
  wire::MessageParser parser;
  KeepingHandler handler;
  std::shared_ptr<Peer> peer;
};

using Texts = std::vector<std::string>;

}  // namespace outpost::rpc
