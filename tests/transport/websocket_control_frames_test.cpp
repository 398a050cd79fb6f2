// What control frames add to the outgoing bytes obeys the same limits as messages do, and its drain is told alike.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "transport/channel_fixture.h"

#include "base/limits/connections.h"
#include "base/limits/messages.h"

namespace outpost::transport::test {
namespace {

/// A stream of which the test decides, to the byte, what comes in and whether anything goes out.
class ValveStream final : public ByteStream {
 public:
  Result<> bind(std::function<void()> on_readable, std::function<void()> on_writable) override {
    on_readable_ = std::move(on_readable);
    on_writable_ = std::move(on_writable);
    return {};
  }
  os::IoCount read(MutableBytes into) override {
    const std::size_t bytes = std::min(into.size(), incoming_.size());
    if (bytes == 0) return {.status = os::IoCount::would_block};
    std::ranges::copy(as_bytes(incoming_).first(bytes), into.begin());
    incoming_.erase(0, bytes);
    return {.bytes = bytes};
  }
  os::IoCount write(ByteView from) override {
    if (!open_) return {.status = os::IoCount::would_block};
    sent += as_text(from);
    return {.bytes = from.size()};
  }
  void wait_readable() override { reading_ = true; }
  void wait_writable() override { writing_ = true; }
  void leave_loop() override {}
  void adopt(Loop&) override {}
  void shut_down() override {}

  /// False if nobody waits for it.
  bool say(std::string_view bytes) {
    incoming_ += bytes;
    if (!std::exchange(reading_, false)) return false;
    on_readable_();
    return true;
  }
  void open_valve() {
    open_ = true;
    if (std::exchange(writing_, false)) on_writable_();
  }
  bool reading() const { return reading_; }

  std::string sent;

 private:
  std::function<void()> on_readable_, on_writable_;
  std::string incoming_;
  bool reading_ = false, writing_ = false, open_ = false;
};

class WebsocketControlFramesTest : public ::testing::Test {
 protected:
  WebsocketControlFramesTest() {
    auto stream = std::make_unique<ValveStream>();
    stream_ = stream.get();
    channel_ = std::make_unique<WebsocketChannel>(resources_, std::move(stream), WebsocketChannel::Settings{});
    channel_->start(recorder_);
  }
  /// Leaves exactly `bytes` waiting to be sent.
  void fill(std::size_t bytes) {
    constexpr std::size_t header_bytes = 10;
    (void)channel_->append(bytes - header_bytes);
    run_ready(loop_);
  }
  static std::string frame(unsigned opcode, std::string_view payload) {
    return make_frame(Role::client, opcode, payload, {});
  }

  Loop loop_;
  LoopResources resources_{loop_};
  Recorder recorder_;
  ValveStream* stream_ = nullptr;
  std::unique_ptr<WebsocketChannel> channel_;
};

TEST_F(WebsocketControlFramesTest, APongBeyondTheSoftLimitIsFollowedByTheWordThatThereIsRoom) {
  fill(limits::outgoing_bytes_soft);
  ASSERT_TRUE(channel_->writable());
  ASSERT_TRUE(stream_->say(frame(ping_frame, "p")));
  EXPECT_FALSE(channel_->writable());
  stream_->open_valve();
  EXPECT_TRUE(channel_->writable());
  EXPECT_EQ(recorder_.writable_calls, 1);
}

TEST_F(WebsocketControlFramesTest, PongsBeyondTheBusyLimitStopTheReadingUntilTheyAreSent) {
  std::string pings;
  for (int i = 0; i < 1000; ++i) pings += frame(ping_frame, std::string(limits::control_frame_bytes_max, 'p'));
  std::size_t said = 0;
  // A peer that only pings and reads nothing.
  while (channel_->takes_answers() && said < 2 * limits::outgoing_bytes_busy) {
    ASSERT_TRUE(stream_->say(pings));
    said += pings.size();
  }
  EXPECT_FALSE(channel_->takes_answers());
  EXPECT_FALSE(stream_->reading());
  EXPECT_FALSE(stream_->say(frame(text_frame, "after")));

  stream_->open_valve();
  EXPECT_TRUE(stream_->reading());
  EXPECT_EQ(recorder_.writable_calls, 1);
  ASSERT_TRUE(stream_->say(""));
  EXPECT_EQ(recorder_.messages, std::vector<std::string>{"after"});
}

TEST_F(WebsocketControlFramesTest, OnePongBeyondTheBusyLimitStopsTheReading) {
  fill(limits::outgoing_bytes_busy);
  ASSERT_TRUE(stream_->say(frame(text_frame, "still read")));
  ASSERT_TRUE(stream_->say(frame(ping_frame, "p")));
  EXPECT_FALSE(stream_->reading());
  stream_->open_valve();
  ASSERT_TRUE(stream_->say(frame(text_frame, "read again")));
  EXPECT_EQ(recorder_.messages, (std::vector<std::string>{"still read", "read again"}));
}

}  // namespace
}  // namespace outpost::transport::test
