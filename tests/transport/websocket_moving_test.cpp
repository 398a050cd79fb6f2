#include <gmock/gmock.h>

#include "transport/channel_fixture.h"

namespace outpost::transport::test {
namespace {

using ::testing::ElementsAre;

/// A channel that goes from one loop to another.
class WebsocketMovingTest : public ChannelTest {
 protected:
  /// Takes the channel, which must be paused, to the other loop, where `moved_recorder_` is told.
  void move() {
    auto dissolved = channel_->dissolve();
    ASSERT_TRUE(dissolved);
    channel_.reset();
    run_ready(loop_);
    moved_ = WebsocketChannel::recompose(other_resources_, std::move(dissolved));
    moved_->start(moved_recorder_);
  }
  bool until_moved(const std::function<bool()>& done) {
    return run_until(other_loop_, [&] {
      far_->pump();
      return done();
    });
  }
  void pause() {
    recorder_.accepting = false;
    far_->send(frame(text_frame, "pause"));
    ASSERT_TRUE(until_messages(1));
    run_ready(loop_);
  }

  Loop other_loop_;
  LoopResources other_resources_{other_loop_};
  Recorder moved_recorder_;
  std::unique_ptr<WebsocketChannel> moved_;
};

TEST_F(WebsocketMovingTest, LosesNothingThatCameOrIsToGo) {
  open();
  recorder_.accepting = false;
  const std::string half = frame(text_frame, "half");
  far_->send(frame(text_frame, "pause") + frame(text_frame, "held") + half.substr(0, 3));
  ASSERT_TRUE(until_messages(1));
  append("unsent");
  move();
  far_->send(half.substr(3) + frame(text_frame, "late"));
  ASSERT_TRUE(until_moved([&] { return moved_recorder_.messages.size() == 3 && !far_->events().empty(); }));
  EXPECT_THAT(recorder_.messages, ElementsAre("pause"));
  EXPECT_THAT(moved_recorder_.messages, ElementsAre("held", "half", "late"));
  EXPECT_THAT(far_->events(), ElementsAre("text unsent"));
  EXPECT_EQ(recorder_.closed_calls, 0);
  EXPECT_EQ(moved_->peer(), "far:1");
}

TEST_F(WebsocketMovingTest, AMessageInFragmentsGoesOn) {
  open();
  recorder_.accepting = false;
  far_->send(frame(text_frame, "pause"));
  ASSERT_TRUE(until_messages(1));
  channel_->resume_reading();
  far_->send(make_fragment(far_role_, text_frame, "one ", false));
  run_ready(loop_);
  move();
  far_->send(make_fragment(far_role_, 0, "two", true));
  ASSERT_TRUE(until_moved([&] { return !moved_recorder_.messages.empty(); }));
  EXPECT_THAT(moved_recorder_.messages, ElementsAre("one two"));
}

TEST_F(WebsocketMovingTest, OffsetsGoOn) {
  open();
  const std::uint64_t before = append("12345");
  pause();
  move();
  EXPECT_EQ(moved_->append(1).end_offset, before + 3);
}

TEST_F(WebsocketMovingTest, TellsThatItIsWritableAgain) {
  open();
  pause();
  // More than the socket takes at once, and more than the soft limit beyond that.
  const std::string large(20'000'000, 'x');
  append(large);
  run_ready(loop_);
  move();
  EXPECT_FALSE(moved_->writable());
  far_->keep_raw = false;
  far_->send(frame(text_frame, "after"));
  ASSERT_TRUE(until_moved([&] { return moved_recorder_.writable_calls > 0; }));
  EXPECT_TRUE(moved_->writable());
  ASSERT_TRUE(until_moved([&] { return !moved_recorder_.messages.empty() && !far_->events().empty(); }));
  EXPECT_EQ(far_->events().front().size(), 5 + large.size());
}

TEST_F(WebsocketMovingTest, TheEndOfThePeerIsTold) {
  open();
  pause();
  far_->hang_up();
  move();
  EXPECT_TRUE(run_until(other_loop_, [&] { return moved_recorder_.closed_calls == 1; }));
}

TEST_F(WebsocketMovingTest, AClosedOneDoesNotMove) {
  open();
  channel_->close("done");
  EXPECT_FALSE(channel_->dissolve());
}

}  // namespace
}  // namespace outpost::transport::test
