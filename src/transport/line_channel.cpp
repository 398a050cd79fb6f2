#include "transport/line_channel.h"

#include <utility>

#include "base/limits/connections.h"

namespace outpost::transport {

LineChannel::LineChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, std::function<void()> on_end)
    : resources_(resources), stream_(std::move(stream)), on_end_(std::move(on_end)), out_(resources.spares) {
  auto bound = stream_->bind([this] { on_readable(); },
                             [this] {
                               blocked_ = false;
                               flush();
                             });
  if (!bound) finish(std::move(bound).error().message);
}

LineChannel::~LineChannel() {
  *alive_ = false;
}

void LineChannel::start(channel::ChannelHandler& handler) {
  handler_ = &handler;
  if (closed_) return tell_closed();
  stream_->wait_readable();
}

channel::Channel::Slot LineChannel::append(std::size_t bytes) {
  if (closed_) out_.clear();  // what goes nowhere must not pile up either
  const std::span<char> line = out_.extend(bytes + 1);
  line.back() = '\n';
  offset_ += bytes + 1;
  // From here on the user may be told that there is no room, or reading may stop for it: the drain must tell.
  if (!writable()) was_unwritable_ = true;
  schedule_flush();
  return {.bytes = line.first(bytes), .end_offset = offset_};
}

void LineChannel::resume_reading() {
  if (!std::exchange(paused_, false) || closed_) return;
  read_later();
}

void LineChannel::read_later() {
  resources_.loop.post([this, alive = alive_] {
    if (*alive) on_readable();
  });
}

void LineChannel::finish(std::string reason) {
  if (std::exchange(closed_, true)) return;
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

void LineChannel::tell_closed() {
  resources_.loop.post([this, alive = alive_, reason = close_reason_] {  // which outlives a handler that ends all this
    if (!*alive) return;
    const auto on_end = on_end_;
    handler_->on_closed(reason);
    if (on_end) on_end();
  });
}

void LineChannel::on_readable() {
  if (closed_) return;
  in_wake_up_ = true;
  if (!held_input_.empty() && may_read()) take(std::exchange(held_input_, {}));
  if (may_read()) read_turn();
  in_wake_up_ = false;
  flush();
  if (may_read()) stream_->wait_readable();
}

void LineChannel::read_turn() {
  const MutableBytes buffer = resources_.receive_buffer();
  const os::IoCount count = stream_->read(buffer);
  if (count.status == os::IoCount::would_block) return;
  if (count.status == os::IoCount::ok) return take({reinterpret_cast<char*>(buffer.data()), count.bytes});
  if (count.status == os::IoCount::end) splitter_.finish(*this);
  finish(count.status == os::IoCount::end ? "the input has ended" : os_error_text(count.error));
}

void LineChannel::take(std::string_view bytes) {
  const std::size_t consumed = splitter_.feed(bytes, *this);
  if (closed_) return;
  if (const auto error = splitter_.error()) return finish(std::string(*error));
  if (consumed < bytes.size()) held_input_ = bytes.substr(consumed);
}

bool LineChannel::on_line(std::string_view line) {
  if (!handler_->on_message(line)) paused_ = true;
  return may_read();
}

void LineChannel::schedule_flush() {
  if (in_wake_up_ || blocked_ || std::exchange(flush_posted_, true)) return;
  resources_.loop.post([this, alive = alive_] {
    if (!*alive) return;
    flush_posted_ = false;
    flush();
  });
}

void LineChannel::flush() {
  if (blocked_ || closed_) return;
  while (!out_.empty()) {
    const os::IoCount count = stream_->write(as_bytes(out_.pending()));
    if (count.status == os::IoCount::would_block) {
      blocked_ = true;
      stream_->wait_writable();
      break;
    }
    if (count.status != os::IoCount::ok) return finish("nobody reads the output any more");
    out_.consume(count.bytes);
  }
  if (!was_unwritable_ || !writable()) return;
  was_unwritable_ = false;
  // Reading may have stopped for the outgoing bytes' sake; what was held back comes first.
  if (!held_input_.empty()) {
    read_later();
  } else if (may_read()) {
    stream_->wait_readable();
  }
  handler_->on_writable();
}

}  // namespace outpost::transport
