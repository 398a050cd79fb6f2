#include <gmock/gmock.h>

#include "transport/channel_fixture.h"

#include "base/limits/connections.h"

namespace outpost::transport::test {
namespace {

/// A channel whose other end doesn't read until it is told to.
class WebsocketBackpressureTest : public ChannelTest {
 protected:
  /// Appends messages until more than `bytes` wait beyond what the socket took.
  void fill(std::size_t bytes) {
    const std::string message(100'000, 'x');
    append(message);
    run_ready(loop_);
    // The socket buffer is full when a flush leaves something behind.
    while (channel_->writable()) {
      append(message);
      ++sent_;
      run_ready(loop_);
    }
    for (std::size_t filled = limits::outgoing_bytes_soft; filled <= bytes; filled += message.size()) {
      append(message);
      ++sent_;
    }
    run_ready(loop_);
    ++sent_;
  }

  std::size_t sent_ = 0;
};

TEST_F(WebsocketBackpressureTest, IsNotWritableAboveTheSoftLimitAndTellsTheEndOfThatOnce) {
  open();
  EXPECT_TRUE(channel_->writable());
  fill(0);
  EXPECT_FALSE(channel_->writable());
  EXPECT_EQ(recorder_.writable_calls, 0);
  far_->keep_raw = false;
  ASSERT_TRUE(until([&] { return far_->events().size() == sent_; }));
  EXPECT_TRUE(channel_->writable());
  EXPECT_EQ(recorder_.writable_calls, 1);
}

TEST_F(WebsocketBackpressureTest, ExactlyTheSoftLimitIsWritable) {
  open();
  // A frame of this size has a header of ten bytes, and nothing is sent before the loop turns.
  append(std::string(limits::outgoing_bytes_soft - 10, 'x'));
  EXPECT_TRUE(channel_->writable());
  append("");
  EXPECT_FALSE(channel_->writable());
}

TEST_F(WebsocketBackpressureTest, TakesAnswersUpToExactlyTheBusyLimit) {
  open();
  append(std::string(limits::outgoing_bytes_busy - 10, 'x'));
  EXPECT_TRUE(channel_->takes_answers());
  EXPECT_FALSE(channel_->writable());
  append("");
  EXPECT_FALSE(channel_->takes_answers());
  // One that waits to give its answer hears of the room.
  far_->keep_raw = false;
  ASSERT_TRUE(until([&] { return recorder_.writable_calls == 1; }));
  EXPECT_TRUE(channel_->takes_answers());
}

TEST_F(WebsocketBackpressureTest, AboveTheSoftLimitItStillReads) {
  open();
  fill(0);
  far_->send(frame(text_frame, "in"));
  ASSERT_TRUE(run_until(loop_, [&] { return !recorder_.messages.empty(); }));
  EXPECT_FALSE(channel_->writable());
}

TEST_F(WebsocketBackpressureTest, AboveTheBusyLimitNothingIsReadUntilItDrains) {
  open();
  fill(limits::outgoing_bytes_busy + 200'000);
  far_->send(frame(text_frame, "1") + frame(text_frame, "2"));
  run_ready(loop_);
  // The wait for reading was armed before; it may bring bytes, but no message beyond the bound is handled.
  EXPECT_LE(recorder_.messages.size(), 1u);
  far_->keep_raw = false;
  ASSERT_TRUE(until_messages(2));
  EXPECT_EQ(recorder_.messages.back(), "2");
}

TEST_F(WebsocketBackpressureTest, ARequestFloodOfAPeerThatNeverReadsIsBounded) {
  open();
  const std::string answer(1'000'000, 'a');
  recorder_.on_text = [&](std::string_view) { append(answer); };
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += frame(text_frame, "ask");
  far_->send(requests);
  run_ready(loop_);
  EXPECT_GE(recorder_.messages.size(), 8u);
  EXPECT_LE(recorder_.messages.size(), 12u) << "8 MiB of answers, and what the socket took";
  far_->keep_raw = false;
  ASSERT_TRUE(until([&] { return recorder_.messages.size() >= 100; }));
}

TEST_F(WebsocketBackpressureTest, APausedHandlerIsNotWokenByTheDrain) {
  open();
  recorder_.accepting = false;
  far_->send(frame(text_frame, "1") + frame(text_frame, "2"));
  ASSERT_TRUE(run_until(loop_, [&] { return !recorder_.messages.empty(); }));
  fill(0);
  far_->keep_raw = false;
  ASSERT_TRUE(until([&] { return recorder_.writable_calls == 1; }));
  run_ready(loop_);
  EXPECT_EQ(recorder_.messages.size(), 1u);
  channel_->resume_reading();
  ASSERT_TRUE(until_messages(2));
}

TEST_F(WebsocketBackpressureTest, APeerThatIsGoneEndsTheWaiting) {
  open();
  fill(0);
  far_->hang_up();
  ASSERT_TRUE(run_until(loop_, [&] { return recorder_.closed_calls > 0; }));
  EXPECT_TRUE(channel_->writable()) << "what waited is dropped";
}

TEST_F(WebsocketBackpressureTest, APartlySentFrameIsFinishedInOrder) {
  open(Role::client);
  const std::string large(3'000'000, 'l');
  append(large);
  run_ready(loop_);
  append("small");
  ASSERT_TRUE(until_events(2));
  EXPECT_EQ(far_->events()[0], "text " + large);
  EXPECT_EQ(far_->events()[1], "text small");
}

}  // namespace
}  // namespace outpost::transport::test
