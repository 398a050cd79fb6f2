#include "transport/websocket_channel.h"

#include <algorithm>
#include <utility>

#include "base/uuid.h"
#include "transport/frame_encoder.h"

namespace outpost::transport {

WebsocketChannel::WebsocketChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, Settings settings)
    : StreamChannel(resources, std::move(stream), std::move(settings.early_input)),
      settings_(std::move(settings)),
      decoder_(settings_.role),
      ping_timer_(resources.loop) {
  bind();
}

void WebsocketChannel::start(channel::ChannelHandler& handler) {
  handler_ = &handler;
  if (closed_) return tell_closed();
  ping_later();
  start_reading();
}

channel::Channel::Slot WebsocketChannel::append(std::size_t bytes) {
  complete_outgoing();
  if (closed_) out_.clear();  // what goes nowhere must not pile up either
  const std::size_t header_bytes = frame_header_size(settings_.role, bytes);
  const std::span<char> frame = add_outgoing(header_bytes + bytes);
  if (settings_.role == Role::client) {
    fill_random(std::as_writable_bytes(std::span(&mask_key_, 1)));
    unmasked_bytes_ = bytes;
  }
  write_frame_header(frame.data(), settings_.role, Opcode::text, bytes, mask_key_);
  schedule_flush();
  return {.bytes = frame.subspan(header_bytes), .end_offset = offset_};
}

void WebsocketChannel::complete_outgoing() {
  if (unmasked_bytes_ == 0) return;
  apply_mask(out_.last(unmasked_bytes_), mask_key_);
  unmasked_bytes_ = 0;
}

void WebsocketChannel::send_control(Opcode opcode, std::string_view payload) {
  complete_outgoing();
  std::uint32_t key = 0;
  if (settings_.role == Role::client) fill_random(std::as_writable_bytes(std::span(&key, 1)));
  const std::string frame = control_frame(settings_.role, opcode, payload, key);
  std::ranges::copy(frame, add_outgoing(frame.size()).begin());
  schedule_flush();
}

void WebsocketChannel::close_with(std::uint16_t code, std::string reason) {
  if (closed_) return;
  send_control(Opcode::close, close_payload(code, reason));
  finish(std::move(reason));
}

std::uint64_t WebsocketChannel::ping(std::string_view payload) {
  if (closed_) return 0;
  send_control(Opcode::ping, payload);
  return offset_;
}

std::uint64_t WebsocketChannel::acknowledged_offset() const {
  const std::uint64_t waiting = out_.size() + (closed_ ? 0 : stream_->unacknowledged());
  return offset_ - std::min(offset_, waiting);
}

void WebsocketChannel::note_received(std::size_t bytes) {
  received_ += bytes;
  handler_->on_received();
}

std::size_t WebsocketChannel::decode(std::span<char> bytes) {
  const std::size_t consumed = decoder_.feed(bytes, *this);
  if (const auto error = decoder_.error(); error && !closed_) {
    send_control(Opcode::close, close_payload(error->close_code, error->text));
    finish(std::string(error->text));
  }
  return consumed;
}

bool WebsocketChannel::on_message(std::string_view payload, bool) {
  if (!handler_->on_message(payload)) paused_ = true;
  return may_read();
}

void WebsocketChannel::on_oversize(std::uint64_t bytes) {
  handler_->on_oversize_message(bytes);
}

void WebsocketChannel::on_ping(std::string_view payload) {
  if (!closed_) send_control(Opcode::pong, payload);
}

void WebsocketChannel::on_pong(std::string_view payload) {
  if (!closed_) handler_->on_pong(payload);
}

void WebsocketChannel::on_close(std::uint16_t code, std::string_view) {
  if (closed_) return;
  send_control(Opcode::close, close_payload(code, {}));
  finish("the peer closed the websocket");
}

void WebsocketChannel::ping_later() {
  if (settings_.ping_interval.count() == 0) return;
  ping_timer_.start(settings_.ping_interval, [this] {
    if (closed_) return;
    send_control(Opcode::ping, std::to_string(++pings_));
    ping_later();
  });
}

struct WebsocketChannel::DissolvedWebsocket final : channel::Dissolved {
  DissolvedWebsocket(std::unique_ptr<ByteStream> the_stream, Settings the_settings, FrameDecoder the_decoder)
      : stream(std::move(the_stream)), settings(std::move(the_settings)), decoder(std::move(the_decoder)) {}
  std::unique_ptr<ByteStream> stream;
  Settings settings;  // with what was read and not handled as its early input
  FrameDecoder decoder;
  std::string outgoing;
  std::uint64_t pings = 0;
  std::uint64_t offset = 0;
};

std::unique_ptr<channel::Dissolved> WebsocketChannel::dissolve() {
  if (closed_) return nullptr;
  closed_ = true;
  complete_outgoing();
  ping_timer_.cancel();
  stream_->leave_loop();
  settings_.early_input = std::move(held_input_);
  auto dissolved = std::make_unique<DissolvedWebsocket>(std::move(stream_), std::move(settings_), std::move(decoder_));
  dissolved->outgoing = out_.pending();
  dissolved->pings = pings_;
  dissolved->offset = offset_;
  out_.clear();
  return dissolved;
}

std::unique_ptr<WebsocketChannel> WebsocketChannel::recompose(LoopResources& resources,
                                                              std::unique_ptr<channel::Dissolved> dissolved) {
  auto& parts = static_cast<DissolvedWebsocket&>(*dissolved);
  parts.stream->adopt(resources.loop);
  auto whole = std::make_unique<WebsocketChannel>(resources, std::move(parts.stream), std::move(parts.settings));
  whole->decoder_ = std::move(parts.decoder);
  whole->pings_ = parts.pings;
  if (!parts.outgoing.empty()) {
    std::ranges::copy(parts.outgoing, whole->add_outgoing(parts.outgoing.size()).begin());
    whole->schedule_flush();
  }
  whole->offset_ = parts.offset;  // which counts those bytes already
  return whole;
}

}  // namespace outpost::transport
