#pragma once

#include <functional>
#include <memory>
#include <string>

#include "transport/line_splitter.h"
#include "transport/stream_channel.h"

namespace outpost::transport {

/// A channel with one message a line, as over stdin and stdout (processes-and-sessions 13). It can't move to another
/// loop.
class LineChannel final : public StreamChannel, private LineSink {
 public:
  /// `on_end`, if given, is called from the loop once the user of the channel knows of its end.
  LineChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, std::function<void()> on_end = {});

  Slot append(std::size_t bytes) override;
  void start(channel::ChannelHandler& handler) override;
  channel::TransportKind kind() const override { return channel::TransportKind::stdio; }
  const std::string& peer() const override { return peer_; }

 private:
  bool on_line(std::string_view line) override;
  void on_oversize(std::uint64_t bytes) override { handler_->on_oversize_message(bytes); }

  std::size_t decode(std::span<char> bytes) override;
  std::string end_of_input() override;
  std::string end_of_output() const override { return "nobody reads the output any more"; }
  void tell_end(const std::string& reason) override;

  std::function<void()> on_end_;
  LineSplitter splitter_;
  std::string peer_;  // nobody that has a name
};

}  // namespace outpost::transport
