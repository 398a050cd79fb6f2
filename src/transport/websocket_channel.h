#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits/connections.h"
#include "base/loop.h"
#include "channel/channel.h"
#include "transport/byte_stream.h"
#include "transport/frame_codec.h"
#include "transport/loop_resources.h"
#include "transport/out_buffer.h"

namespace outpost::transport {

/// A websocket after its upgrade, either role (RFC 6455; processes-and-sessions 1.5).
///
/// Every whole frame that a read brought is handled, the answers gather in one buffer, and one send at the end of the
/// wake-up takes them out. While `limits::outgoing_bytes_busy` wait to be sent, nothing more is read.
class WebsocketChannel final : public channel::Channel, private FrameSink {
 public:
  struct Settings {
    Role role = Role::server;
    std::string peer;                            ///< `127.0.0.1:57904`
    std::chrono::milliseconds ping_interval{0};  ///< of pings of the channel's own, for its client; 0: none
    std::string early_input;                     ///< bytes that came behind the upgrade
  };

  WebsocketChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, Settings settings);
  ~WebsocketChannel() override;

  Slot append(std::size_t bytes) override;
  bool writable() const override { return out_.size() <= limits::outgoing_bytes_soft; }
  bool takes_answers() const override { return out_.size() <= limits::outgoing_bytes_busy; }
  void resume_reading() override;
  void close(std::string reason) override;
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

  void on_readable();
  void on_writable();
  void read_turn();
  /// Feeds the decoder; keeps what it leaves when reading is paused.
  void take(std::span<char> bytes);
  void take_held_input();
  /// Room for so many more bytes to send; all of them pass here.
  std::span<char> add_outgoing(std::size_t bytes);
  void send_control(Opcode opcode, std::string_view payload);
  void mask_last();
  void schedule_flush();
  void flush();
  void finish(std::string reason);
  void tell_closed();
  void ping_later();
  bool may_read() const { return !closed_ && !paused_ && takes_answers(); }

  LoopResources& resources_;
  std::unique_ptr<ByteStream> stream_;
  Settings settings_;
  FrameDecoder decoder_;
  OutBuffer out_;
  std::string held_input_;  // read, but not yet handed to the decoder
  channel::ChannelHandler* handler_ = nullptr;
  std::string close_reason_;
  Timer ping_timer_;
  std::uint64_t pings_ = 0;
  std::uint64_t offset_ = 0;        // bytes ever appended
  std::uint64_t received_ = 0;      // bytes ever read
  std::size_t unmasked_bytes_ = 0;  // the payload appended last, until it is masked (client only)
  std::uint32_t mask_key_ = 0;
  bool in_wake_up_ = false, flush_posted_ = false, blocked_ = false, paused_ = false, closed_ = false;
  bool was_unwritable_ = false;
  std::shared_ptr<bool> alive_;  // false once destroyed: for what is posted
};

}  // namespace outpost::transport
