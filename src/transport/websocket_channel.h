#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/loop.h"
#include "transport/frame_codec.h"
#include "transport/stream_channel.h"

namespace outpost::transport {

/// A websocket after its upgrade, either role (RFC 6455; processes-and-sessions 1.5).
class WebsocketChannel final : public StreamChannel, private FrameSink {
 public:
  struct Settings {
    Role role = Role::server;
    std::string peer;                            ///< `127.0.0.1:57904`
    std::chrono::milliseconds ping_interval{0};  ///< of pings of the channel's own, for its client; 0: none
    std::string early_input;                     ///< bytes that came behind the upgrade
  };

  WebsocketChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, Settings settings);

  Slot append(std::size_t bytes) override;
  void close_with(std::uint16_t code, std::string reason) override;
  std::uint64_t ping(std::string_view payload) override;
  bool has_unread() const override { return !closed_ && stream_->unread() > 0; }
  std::uint64_t received_bytes() const override { return closed_ ? received_ : received_ + stream_->unread(); }
  std::uint64_t acknowledged_offset() const override;
  bool all_taken() const override { return out_.empty() && (closed_ || stream_->unacknowledged() == 0); }
  void start(channel::ChannelHandler& handler) override;
  std::unique_ptr<channel::Dissolved> dissolve() override;
  /// A channel that was dissolved, on the loop of `resources`.
  static std::unique_ptr<WebsocketChannel> recompose(LoopResources& resources,
                                                     std::unique_ptr<channel::Dissolved> dissolved);
  channel::TransportKind kind() const override { return channel::TransportKind::websocket; }
  const std::string& peer() const override { return settings_.peer; }

 private:
  struct DissolvedWebsocket;
  bool on_message(std::string_view payload, bool binary) override;
  void on_oversize(std::uint64_t bytes) override;
  void on_ping(std::string_view payload) override;
  void on_pong(std::string_view payload) override;
  void on_close(std::uint16_t code, std::string_view reason) override;

  std::size_t decode(std::span<char> bytes) override;
  void note_received(std::size_t bytes) override;
  std::string end_of_input() override { return end_of_output(); }
  std::string end_of_output() const override { return "the peer closed the connection"; }
  void complete_outgoing() override;
  void send_control(Opcode opcode, std::string_view payload);
  void ping_later();

  Settings settings_;
  FrameDecoder decoder_;
  Timer ping_timer_;
  std::uint64_t pings_ = 0;
  std::uint64_t received_ = 0;      // bytes ever read
  std::size_t unmasked_bytes_ = 0;  // the payload appended last, until it is masked (client only)
  std::uint32_t mask_key_ = 0;
};

}  // namespace outpost::transport
