#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/loop.h"
#include "channel/channel.h"
#include "transport/byte_stream.h"
#include "transport/line_splitter.h"
#include "transport/loop_resources.h"
#include "transport/out_buffer.h"

namespace outpost::transport {

/// A channel with one message a line, as over stdin and stdout (processes-and-sessions 13). All lines of one read are
/// handled, and one send at the end of the wake-up takes the answers out. It can't move to another loop.
class LineChannel final : public channel::Channel, private LineSink {
 public:
  /// `on_end`, if given, is called from the loop once the user of the channel knows of its end.
  LineChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, std::function<void()> on_end = {});
  ~LineChannel() override;

  Slot append(std::size_t bytes) override;
  bool writable() const override { return out_.size() <= limits::outgoing_bytes_soft; }
  bool takes_answers() const override { return out_.size() <= limits::outgoing_bytes_busy; }
  void resume_reading() override;
  void close(std::string reason) override { finish(std::move(reason)); }
  void start(channel::ChannelHandler& handler) override;
  channel::TransportKind kind() const override { return channel::TransportKind::stdio; }
  const std::string& peer() const override { return peer_; }

 private:
  bool on_line(std::string_view line) override;
  void on_oversize(std::uint64_t bytes) override { handler_->on_oversize_message(bytes); }

  void on_readable();
  void read_turn();
  void take(std::string_view bytes);
  void read_later();
  void schedule_flush();
  void flush();
  void finish(std::string reason);
  void tell_closed();
  bool may_read() const { return !closed_ && !paused_ && takes_answers(); }

  LoopResources& resources_;
  std::unique_ptr<ByteStream> stream_;
  std::function<void()> on_end_;
  LineSplitter splitter_;
  OutBuffer out_;
  std::string held_input_;  // read, but not yet handed to the splitter
  channel::ChannelHandler* handler_ = nullptr;
  std::string peer_, close_reason_;
  std::uint64_t offset_ = 0;  // bytes ever appended
  bool in_wake_up_ = false, flush_posted_ = false, blocked_ = false, paused_ = false, closed_ = false;
  bool was_unwritable_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once destroyed: for what is posted
};

}  // namespace outpost::transport
