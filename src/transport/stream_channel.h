#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits/connections.h"
#include "channel/channel.h"
#include "transport/byte_stream.h"
#include "transport/loop_resources.h"
#include "transport/out_buffer.h"

namespace outpost::transport {

/// What channels over a stream of bytes have in common, whatever their messages look like: all that one read brought is
/// handled, the answers gather in one buffer, and one send at the end of the wake-up takes them out. While
/// `limits::outgoing_bytes_busy` wait to be sent, nothing more is read.
class StreamChannel : public channel::Channel {
 public:
  ~StreamChannel() override;

  bool writable() const override { return out_.size() <= limits::outgoing_bytes_soft; }
  bool takes_answers() const override { return out_.size() <= limits::outgoing_bytes_busy; }
  void resume_reading() override;
  void close(std::string reason) override { finish(std::move(reason)); }

 protected:
  /// `early_input` was read already.
  StreamChannel(LoopResources& resources, std::unique_ptr<ByteStream> stream, std::string early_input = {});

  /// Hands bytes to the decoder, unless `closed`; how many it took. It stops where `may_read` became false, or after a
  /// `finish`.
  virtual std::size_t decode(std::span<char> bytes) = 0;
  /// So many bytes were read, and are about to be decoded.
  virtual void note_received(std::size_t) {}
  /// The input has ended: handles what is left of it, and says so for the log.
  virtual std::string end_of_input() = 0;
  /// Why nothing can be sent any more, for the log.
  virtual std::string end_of_output() const = 0;
  /// Completes what was appended, before it is sent.
  virtual void complete_outgoing() {}
  /// Tells the handler of the end. It may end this channel.
  virtual void tell_end(const std::string& reason) { handler_->on_closed(reason); }

  /// Binds the stream; for the constructor of the kind. What fails is told as the end.
  void bind();
  /// Begins to read, with what was read early.
  void start_reading();
  /// Room for so many more bytes to send; all of them pass here.
  std::span<char> add_outgoing(std::size_t bytes);
  void schedule_flush();
  void finish(std::string reason);
  void tell_closed();
  bool may_read() const { return !closed_ && !paused_ && takes_answers(); }

  LoopResources& resources_;
  std::unique_ptr<ByteStream> stream_;
  OutBuffer out_;
  std::string held_input_;  // read, but not yet decoded
  channel::ChannelHandler* handler_ = nullptr;
  std::uint64_t offset_ = 0;  // bytes ever appended
  bool paused_ = false, closed_ = false;

 private:
  void on_readable();
  void on_writable();
  void read_turn();
  /// Decodes; keeps what is left when reading is paused.
  void take(std::span<char> bytes);
  void read_later();
  void flush();

  std::string close_reason_;
  bool in_wake_up_ = false, flush_posted_ = false, blocked_ = false;
  bool was_unwritable_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once destroyed: for what is posted
};

}  // namespace outpost::transport
