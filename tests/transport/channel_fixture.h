#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/run_until.h"
#include "os/io.h"
#include "transport/frame_events.h"
#include "transport/socket_stream.h"
#include "transport/websocket_channel.h"

namespace outpost::transport::test {

using outpost::testing::run_ready;
using outpost::testing::run_until;

/// Writes down what a channel tells its user.
class Recorder final : public channel::ChannelHandler {
 public:
  bool on_message(std::string_view text) override {
    messages.emplace_back(text);
    if (on_text) on_text(text);
    return accepting;
  }
  void on_oversize_message(std::uint64_t bytes) override { oversize.push_back(bytes); }
  void on_writable() override { ++writable_calls; }
  void on_closed(const std::string& reason) override {
    ++closed_calls;
    closed_reason = reason;
  }

  std::vector<std::string> messages;
  std::vector<std::uint64_t> oversize;
  std::function<void(std::string_view)> on_text;
  bool accepting = true;
  int writable_calls = 0;
  int closed_calls = 0;
  std::string closed_reason;
};

/// The other end of a connection, by hand: sends bytes, decodes what comes.
class FarEnd {
 public:
  FarEnd(os::FileDescriptor socket, Role role) : decoder_(role), socket_(std::move(socket)) {}
  /// Over a stream that nobody else waits for.
  FarEnd(std::unique_ptr<ByteStream> stream, Role role) : decoder_(role), stream_(std::move(stream)) {}

  /// Takes what is there now, up to `bytes_max`; what it decodes goes into `events`.
  void pump(std::size_t bytes_max = SIZE_MAX) {
    std::array<std::byte, 65536> buffer;
    while (bytes_max > 0) {
      const MutableBytes room = MutableBytes(buffer).first(std::min(buffer.size(), bytes_max));
      const auto count = stream_ ? stream_->read(room) : os::receive_some(socket_.get(), room);
      if (count.status == os::IoCount::would_block) return;
      if (count.status != os::IoCount::ok) {
        ended = true;
        return;
      }
      bytes_max -= count.bytes;
      std::string bytes(as_text({buffer.data(), count.bytes}));
      if (keep_raw) raw += bytes;
      decoder_.feed(bytes, log_);
    }
  }
  /// How many of the bytes were taken.
  std::size_t send(std::string_view bytes) const {
    const ByteView view = as_bytes(bytes);
    return (stream_ ? stream_->write(view) : os::send_some(socket_.get(), view)).bytes;
  }
  void hang_up() {
    socket_.reset();
    stream_.reset();
  }
  const std::vector<std::string>& events() const { return log_.events; }
  bool decoder_failed() const { return decoder_.error().has_value(); }
  int fd() const { return socket_.get(); }

  bool keep_raw = true;
  bool ended = false;
  std::string raw;

 private:
  FrameDecoder decoder_;
  EventLog log_;
  os::FileDescriptor socket_;
  std::unique_ptr<ByteStream> stream_;  // instead of the socket, if there is one
};

/// A websocket channel over a socket pair, with the other end in the hands of the test.
class ChannelTest : public ::testing::Test {
 protected:
  void open(Role role = Role::server, std::string early_input = {}, std::chrono::milliseconds ping_interval = {}) {
    std::array<int, 2> pair{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()), 0);
    far_role_ = role == Role::server ? Role::client : Role::server;
    far_ = std::make_unique<FarEnd>(os::FileDescriptor(pair[1]), far_role_);
    auto stream = std::make_unique<SocketStream>(loop_, os::FileDescriptor(pair[0]));
    WebsocketChannel::Settings settings;
    settings.role = role;
    settings.peer = "far:1";
    settings.ping_interval = ping_interval;
    settings.early_input = std::move(early_input);
    channel_ = std::make_unique<WebsocketChannel>(resources_, std::move(stream), std::move(settings));
    channel_->start(recorder_);
  }
  /// A frame of the other end.
  std::string frame(unsigned opcode, std::string_view payload, FrameShape shape = {}) const {
    return make_frame(far_role_, opcode, payload, shape);
  }
  std::uint64_t append(std::string_view text) {
    const auto slot = channel_->append(text.size());
    std::ranges::copy(text, slot.bytes.begin());
    return slot.end_offset;
  }
  bool until(const std::function<bool()>& done) {
    return run_until(loop_, [&] {
      far_->pump();
      return done();
    });
  }
  bool until_events(std::size_t count) {
    return until([&] { return far_->events().size() >= count; });
  }
  bool until_messages(std::size_t count) {
    return until([&] { return recorder_.messages.size() >= count; });
  }
  bool until_closed() {
    return until([&] { return recorder_.closed_calls > 0 && far_->ended; });
  }

  Loop loop_;
  LoopResources resources_{loop_};
  Recorder recorder_;
  Role far_role_ = Role::client;
  std::unique_ptr<FarEnd> far_;
  std::unique_ptr<WebsocketChannel> channel_;
};

inline constexpr unsigned text_frame = 1, binary_frame = 2, close_frame = 8, ping_frame = 9, pong_frame = 10;

}  // namespace outpost::transport::test
