#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/channel.h"

namespace outpost::client::testing {

/// The other end of a `FakeChannel`: what was sent, and what the test says as the server. It outlives the channel.
class FarSide {
 public:
  /// The messages sent since the last call.
  std::vector<std::string> take_sent() {
    std::vector<std::string> texts;
    for (const auto& message : std::exchange(sent_, {})) texts.emplace_back(message->begin(), message->end());
    return texts;
  }
  bool say(std::string_view text) { return handler_->on_message(text); }
  void lose(const std::string& reason) { handler_->on_closed(reason); }
  bool closed() const { return !close_reason_.empty(); }
  const std::string& close_reason() const { return close_reason_; }

 private:
  friend class FakeChannel;
  channel::ChannelHandler* handler_ = nullptr;
  std::vector<std::unique_ptr<std::vector<char>>> sent_;
  std::string close_reason_;
};

/// A channel without a loop or a socket.
class FakeChannel final : public channel::Channel {
 public:
  explicit FakeChannel(FarSide& far) : far_(far) {}

  Slot append(std::size_t bytes) override {
    far_.sent_.push_back(std::make_unique<std::vector<char>>(bytes));
    offset_ += bytes;
    return {.bytes = *far_.sent_.back(), .end_offset = offset_};
  }
  bool writable() const override { return true; }
  bool takes_answers() const override { return true; }
  void resume_reading() override {}
  void close(std::string reason) override { far_.close_reason_ = std::move(reason); }
  void start(channel::ChannelHandler& handler) override { far_.handler_ = &handler; }
  channel::TransportKind kind() const override { return channel::TransportKind::websocket; }
  const std::string& peer() const override { return peer_; }

 private:
  FarSide& far_;
  std::uint64_t offset_ = 0;
  std::string peer_ = "far:1";
};

}  // namespace outpost::client::testing
