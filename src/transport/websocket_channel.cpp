#include "transport/websocket_channel.h"

#include <algorithm>
#include <utility>

#include "base/uuid.h"
#include "transport/frame_encoder.h"

namespace outpost::transport {

WebsocketChannel::WebsocketChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, Settings settings)
    : resources_(resources),
      stream_(std::move(stream)),
      settings_(std::move(settings)),
      decoder_(settings_.role),
      out_(resources.spares),
      held_input_(std::move(settings_.early_input)),
      ping_timer_(resources.loop),
      alive_(std::make_shared<bool>(true)) {
  auto bound = stream_->bind([this] { on_readable(); }, [this] { on_writable(); });
  if (!bound) finish(std::move(bound).error().message);
}

WebsocketChannel::~WebsocketChannel() {
  *alive_ = false;
}

void WebsocketChannel::start(channel::ChannelHandler& handler) {
  handler_ = &handler;
  if (closed_) return tell_closed();
  ping_later();
  if (held_input_.empty()) return stream_->wait_readable();
  resources_.loop.post([this, alive = alive_] {
    if (*alive) on_readable();
  });
}

channel::Channel::Slot WebsocketChannel::append(std::size_t bytes) {
  mask_last();
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

std::span<char> WebsocketChannel::add_outgoing(std::size_t bytes) {
  const std::span<char> room = out_.extend(bytes);
  offset_ += bytes;
  // From here on the user may be told that there is no room, or reading may stop for it: the drain must tell.
  if (!writable()) was_unwritable_ = true;
  return room;
}

void WebsocketChannel::mask_last() {
  if (unmasked_bytes_ == 0) return;
  apply_mask(out_.last(unmasked_bytes_), mask_key_);
  unmasked_bytes_ = 0;
}

void WebsocketChannel::send_control(Opcode opcode, std::string_view payload) {
  mask_last();
  std::uint32_t key = 0;
  if (settings_.role == Role::client) fill_random(std::as_writable_bytes(std::span(&key, 1)));
  const std::string frame = control_frame(settings_.role, opcode, payload, key);
  std::ranges::copy(frame, add_outgoing(frame.size()).begin());
  schedule_flush();
}

void WebsocketChannel::resume_reading() {
  if (!std::exchange(paused_, false) || closed_) return;
  resources_.loop.post([this, alive = alive_] {
    if (*alive) on_readable();
  });
}

void WebsocketChannel::close(std::string reason) {
  finish(std::move(reason));
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

void WebsocketChannel::finish(std::string reason) {
  if (std::exchange(closed_, true)) return;
  ping_timer_.cancel();
  // The last word (a close frame) may still go out; nobody waits for more.
  mask_last();
  while (!blocked_ && !out_.empty()) {
    const os::IoCount count = stream_->write(as_bytes(out_.pending()));
    if (count.status != os::IoCount::ok) break;
    out_.consume(count.bytes);
  }
  out_.clear();
  held_input_.clear();
  stream_->shut_down();
  close_reason_ = std::move(reason);
  if (handler_ != nullptr) tell_closed();  // else `start` does
}

void WebsocketChannel::tell_closed() {
  resources_.loop.post([this, alive = alive_, reason = close_reason_] {  // which outlives a handler that ends all this
    if (*alive) handler_->on_closed(reason);
  });
}

void WebsocketChannel::on_readable() {
  if (closed_) return;
  in_wake_up_ = true;
  take_held_input();
  if (may_read()) read_turn();
  in_wake_up_ = false;
  flush();
  if (may_read()) stream_->wait_readable();
}

void WebsocketChannel::read_turn() {
  const MutableBytes buffer = resources_.receive_buffer();
  const os::IoCount count = stream_->read(buffer);
  if (count.status == os::IoCount::would_block) return;
  if (count.status == os::IoCount::end) return finish("the peer closed the connection");
  if (count.status != os::IoCount::ok) return finish(os_error_text(count.error));
  received_ += count.bytes;
  handler_->on_received();
  take({reinterpret_cast<char*>(buffer.data()), count.bytes});
}

void WebsocketChannel::take_held_input() {
  if (held_input_.empty() || !may_read()) return;
  std::string input = std::exchange(held_input_, {});
  take(input);
}

void WebsocketChannel::take(std::span<char> bytes) {
  const std::size_t consumed = decoder_.feed(bytes, *this);
  if (closed_) return;
  if (const auto error = decoder_.error()) {
    send_control(Opcode::close, close_payload(error->close_code, error->text));
    return finish(std::string(error->text));
  }
  if (consumed < bytes.size()) held_input_.assign(bytes.data() + consumed, bytes.size() - consumed);
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
    send_control(Opcode::ping, std::to_string(++pings_));
    ping_later();
  });
}

void WebsocketChannel::schedule_flush() {
  if (in_wake_up_ || blocked_ || std::exchange(flush_posted_, true)) return;
  resources_.loop.post([this, alive = alive_] {
    if (!*alive) return;
    flush_posted_ = false;
    flush();
  });
}

void WebsocketChannel::on_writable() {
  blocked_ = false;
  flush();
}

void WebsocketChannel::flush() {
  if (blocked_ || closed_) return;
  mask_last();
  while (!out_.empty()) {
    const os::IoCount count = stream_->write(as_bytes(out_.pending()));
    if (count.status == os::IoCount::would_block) {
      blocked_ = true;
      stream_->wait_writable();
      break;
    }
    if (count.status != os::IoCount::ok) return finish("the peer closed the connection");
    out_.consume(count.bytes);
  }
  if (!was_unwritable_ || !writable()) return;
  was_unwritable_ = false;
  // Reading may have stopped for the outgoing bytes' sake; what was held back comes first.
  if (!held_input_.empty()) {
    resources_.loop.post([this, alive = alive_] {
      if (*alive) on_readable();
    });
  } else if (may_read()) {
    stream_->wait_readable();
  }
  handler_->on_writable();
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
  mask_last();
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
