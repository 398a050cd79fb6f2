#include "transport/line_channel.h"

#include <utility>

namespace outpost::transport {

LineChannel::LineChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, std::function<void()> on_end)
    : StreamChannel(resources, std::move(stream)), on_end_(std::move(on_end)) {
  bind();
}

void LineChannel::start(channel::ChannelHandler& handler) {
  handler_ = &handler;
  if (closed_) return tell_closed();
  start_reading();
}

channel::Channel::Slot LineChannel::append(std::size_t bytes) {
  if (closed_) out_.clear();  // what goes nowhere must not pile up either
  const std::span<char> line = add_outgoing(bytes + 1);
  line.back() = '\n';
  schedule_flush();
  return {.bytes = line.first(bytes), .end_offset = offset_};
}

void LineChannel::tell_end(const std::string& reason) {
  const auto on_end = on_end_;  // which outlives this channel
  handler_->on_closed(reason);
  if (on_end) on_end();
}

std::size_t LineChannel::decode(std::span<char> bytes) {
  const std::size_t consumed = splitter_.feed({bytes.data(), bytes.size()}, *this);
  if (const auto error = splitter_.error(); error && !closed_) finish(std::string(*error));
  return consumed;
}

std::string LineChannel::end_of_input() {
  splitter_.finish(*this);
  return "the input has ended";
}

bool LineChannel::on_line(std::string_view line) {
  if (!handler_->on_message(line)) paused_ = true;
  return may_read();
}

}  // namespace outpost::transport
