#include "transport/stream_channel.h"

#include <utility>

namespace outpost::transport {

StreamChannel::StreamChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, std::string early_input)
    : resources_(resources), stream_(std::move(stream)), out_(resources.spares), held_input_(std::move(early_input)) {}

StreamChannel::~StreamChannel() {
  *alive_ = false;
}

void StreamChannel::bind() {
  auto bound = stream_->bind([this] { on_readable(); }, [this] { on_writable(); });
  if (!bound) finish(std::move(bound).error().message);
}

void StreamChannel::start_reading() {
  if (held_input_.empty()) return stream_->wait_readable();
  read_later();
}

std::span<char> StreamChannel::add_outgoing(std::size_t bytes) {
  const std::span<char> room = out_.extend(bytes);
  offset_ += bytes;
  // From here on the user may be told that there is no room, or reading may stop for it: the drain must tell.
  if (!writable()) was_unwritable_ = true;
  return room;
}

void StreamChannel::resume_reading() {
  if (!std::exchange(paused_, false) || closed_) return;
  read_later();
}

void StreamChannel::read_later() {
  resources_.loop.post([this, alive = alive_] {
    if (*alive) on_readable();
  });
}

void StreamChannel::finish(std::string reason) {
  if (std::exchange(closed_, true)) return;
  // The last word (as a close frame) may still go out; nobody waits for more.
  complete_outgoing();
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

void StreamChannel::tell_closed() {
  resources_.loop.post([this, alive = alive_, reason = close_reason_] {  // which outlives a handler that ends all this
    if (*alive) tell_end(reason);
  });
}

void StreamChannel::on_readable() {
  if (closed_) return;
  in_wake_up_ = true;
  if (!held_input_.empty() && may_read()) {
    std::string input = std::exchange(held_input_, {});
    take(input);
  }
  if (may_read()) read_turn();
  in_wake_up_ = false;
  flush();
  if (may_read()) stream_->wait_readable();
}

void StreamChannel::read_turn() {
  const MutableBytes buffer = resources_.receive_buffer();
  const os::IoCount count = stream_->read(buffer);
  if (count.status == os::IoCount::would_block) return;
  if (count.status == os::IoCount::end) return finish(end_of_input());
  if (count.status != os::IoCount::ok) return finish(os_error_text(count.error));
  note_received(count.bytes);
  take({reinterpret_cast<char*>(buffer.data()), count.bytes});
}

void StreamChannel::take(std::span<char> bytes) {
  const std::size_t consumed = decode(bytes);
  if (!closed_ && consumed < bytes.size()) held_input_.assign(bytes.data() + consumed, bytes.size() - consumed);
}

void StreamChannel::schedule_flush() {
  if (in_wake_up_ || blocked_ || std::exchange(flush_posted_, true)) return;
  resources_.loop.post([this, alive = alive_] {
    if (!*alive) return;
    flush_posted_ = false;
    flush();
  });
}

void StreamChannel::on_writable() {
  blocked_ = false;
  flush();
}

void StreamChannel::flush() {
  if (blocked_ || closed_) return;
  complete_outgoing();
  while (!out_.empty()) {
    const os::IoCount count = stream_->write(as_bytes(out_.pending()));
    if (count.status == os::IoCount::would_block) {
      blocked_ = true;
      stream_->wait_writable();
      break;
    }
    if (count.status != os::IoCount::ok) return finish(end_of_output());
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
