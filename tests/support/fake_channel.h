#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits/connections.h"
#include "channel/channel.h"

namespace outpost::testing {

/// What a test holds of a connection without a network: it says messages and hears those that come back. As with a real
/// channel, nothing is said while the other side doesn't read, and an end is told later, by `finish_close`.
class FakeWire {
 public:
  explicit FakeWire(channel::TransportKind kind = channel::TransportKind::websocket) : kind_(kind) {}

  /// Says a message, now or as soon as the other side reads (`pump`).
  void say(std::string text) {
    inbox_.push_back(std::move(text));
    pump();
  }
  /// Hands over what waits to be read; true if there was something.
  bool pump() {
    bool moved = false;
    while (answers_pings && handler_ != nullptr && !ended() && !pings_unanswered_.empty()) {
      const std::string payload = std::move(pings_unanswered_.front());
      pings_unanswered_.pop_front();
      pong(payload);
      moved = true;
    }
    while (handler_ != nullptr && !ended() && !paused_ && takes_answers() && !inbox_.empty()) {
      receive(inbox_.front().size());
      const std::string text = std::move(inbox_.front());
      inbox_.pop_front();
      paused_ = !handler_->on_message(text);
      moved = true;
    }
    return moved;
  }
  /// Answers a ping, or none that was sent.
  void pong(const std::string& payload) {
    receive(payload.size() + 2);
    if (!ended()) handler_->on_pong(payload);
  }
  bool answers_pings = true;
  /// Something came that the system keeps.
  bool keeps_unread = false;
  /// Then a ping also stands among what was sent, as `ping N`.
  bool pings_in_line = false;
  /// The payloads of all pings that came.
  const std::vector<std::string>& pings() const { return pings_; }
  /// Bytes come that make no message yet, or that the other side doesn't read as yet.
  void receive(std::size_t bytes) {
    received_ += bytes;
    handler_->on_received();
  }
  void receive_unread(std::size_t bytes) { received_ += bytes; }
  /// What the other system has acknowledged; all, unless a test says less.
  std::optional<std::uint64_t> acknowledged;
  std::optional<std::uint16_t> close_code() const { return close_code_; }
  void say_oversize(std::uint64_t bytes) { handler_->on_oversize_message(bytes); }
  /// What was sent since the last call.
  std::vector<std::string> heard() {
    std::vector<std::string> messages(sent_.begin(), sent_.end());
    sent_.clear();
    return messages;
  }
  /// The other side goes away.
  void hang_up(const std::string& reason = "the peer is gone") {
    if (!close_reason_) close_reason_ = reason;
    finish_close();
  }
  /// Tells of the end, if there is one that wasn't told yet; true if so.
  bool finish_close() {
    if (!close_reason_ || std::exchange(close_told_, true)) return false;
    handler_->on_closed(*close_reason_);
    return true;
  }
  /// From now on so many messages may be sent before the channel isn't writable; tells that there is room.
  void make_room(std::size_t messages) {
    room_ = messages;
    if (messages > 0) handler_->on_writable();
  }
  /// From now on nothing that is sent goes out; its bytes wait and count, as those of a real channel whose other end
  /// doesn't read.
  void stop_draining() { draining_ = false; }
  /// So many of the bytes that wait go out; tells if that makes the channel writable again. Goes on to read, by `pump`.
  void drain(std::size_t bytes) {
    const bool was_writable = writable();
    waiting_bytes_ -= std::min(bytes, waiting_bytes_);
    if (!was_writable && writable() && !ended()) handler_->on_writable();
  }
  /// All that waits goes out, and from now on everything at once.
  void drain_all() {
    draining_ = true;
    drain(waiting_bytes_);
  }
  std::size_t waiting_bytes() const { return waiting_bytes_; }

  bool ended() const { return close_reason_.has_value(); }
  const std::optional<std::string>& close_reason() const { return close_reason_; }
  bool paused() const { return paused_; }
  std::size_t unread() const { return inbox_.size(); }

 private:
  friend class FakeChannel;
  bool writable() const { return room_ != std::size_t{0} && waiting_bytes_ <= limits::outgoing_bytes_soft; }
  bool takes_answers() const { return waiting_bytes_ <= limits::outgoing_bytes_busy; }

  channel::TransportKind kind_;
  std::string peer_ = "127.0.0.1:57904";
  channel::ChannelHandler* handler_ = nullptr;
  std::deque<std::string> inbox_;
  std::deque<std::string> sent_;
  std::deque<std::string> lost_;  // what was written to a channel that had ended
  std::optional<std::string> close_reason_;
  std::optional<std::uint16_t> close_code_;
  std::deque<std::string> pings_unanswered_;
  std::vector<std::string> pings_;
  std::uint64_t received_ = 0;
  std::optional<std::size_t> room_;
  std::uint64_t offset_ = 0;
  std::size_t waiting_bytes_ = 0;
  bool draining_ = true;
  bool paused_ = false, close_told_ = false;
};

/// A `FakeWire` without an end in the product, as yet.
struct DissolvedFake final : channel::Dissolved {
  explicit DissolvedFake(std::shared_ptr<FakeWire> the_wire) : wire(std::move(the_wire)) {}
  std::shared_ptr<FakeWire> wire;
};

/// The end of a `FakeWire` that the product holds.
class FakeChannel final : public channel::Channel {
 public:
  explicit FakeChannel(std::shared_ptr<FakeWire> wire) : wire_(std::move(wire)) {}

  Slot append(std::size_t bytes) override {
    auto& messages = wire_->ended() ? wire_->lost_ : wire_->sent_;
    std::string& message = messages.emplace_back(bytes, '?');
    if (wire_->room_.value_or(0) > 0) --*wire_->room_;
    if (!wire_->draining_ && !wire_->ended()) wire_->waiting_bytes_ += bytes;
    wire_->offset_ += bytes;
    return {.bytes = message, .end_offset = wire_->offset_};
  }
  bool writable() const override { return wire_->writable(); }
  bool takes_answers() const override { return wire_->takes_answers(); }
  void resume_reading() override { wire_->paused_ = false; }
  void close(std::string reason) override {
    if (!wire_->close_reason_) wire_->close_reason_ = std::move(reason);
  }
  void close_with(std::uint16_t code, std::string reason) override {
    if (!wire_->close_reason_) wire_->close_code_ = code;
    close(std::move(reason));
  }
  std::uint64_t ping(std::string_view payload) override {
    if (wire_->ended() || wire_->kind_ != channel::TransportKind::websocket) return 0;
    wire_->pings_.emplace_back(payload);
    wire_->pings_unanswered_.emplace_back(payload);
    if (wire_->pings_in_line) wire_->sent_.push_back("ping " + std::string(payload));
    wire_->offset_ += payload.size() + 2;
    return wire_->offset_;
  }
  bool has_unread() const override { return wire_->keeps_unread; }
  std::uint64_t received_bytes() const override { return wire_->received_; }
  std::uint64_t acknowledged_offset() const override { return wire_->acknowledged.value_or(wire_->offset_); }
  bool all_taken() const override { return acknowledged_offset() == wire_->offset_; }
  void start(channel::ChannelHandler& handler) override { wire_->handler_ = &handler; }
  std::unique_ptr<channel::Dissolved> dissolve() override {
    if (wire_->ended()) return nullptr;
    EXPECT_TRUE(wire_->paused_);
    wire_->handler_ = nullptr;
    wire_->paused_ = false;
    return std::make_unique<DissolvedFake>(wire_);
  }
  channel::TransportKind kind() const override { return wire_->kind_; }
  const std::string& peer() const override { return wire_->peer_; }

 private:
  std::shared_ptr<FakeWire> wire_;  // shared with the test, which looks at it when the channel is gone
};

}  // namespace outpost::testing
