#include "transport/websocket_channel.h"

#include <gmock/gmock.h>

#include "base/limits/messages.h"
#include "transport/channel_fixture.h"

namespace outpost::transport::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using WebsocketChannelTest = ChannelTest;

TEST_F(WebsocketChannelTest, MessagesAreWrittenInPlaceAndGoOutTogether) {
  open();
  EXPECT_EQ(append("one"), 5u);
  EXPECT_EQ(append(""), 7u);
  EXPECT_EQ(append(std::string(200, 'x')), 7u + 204u) << "offsets count the bytes of the frames";
  ASSERT_TRUE(until_events(3));
  EXPECT_THAT(far_->events(), ElementsAre("text one", "text ", "text " + std::string(200, 'x')));
  EXPECT_EQ(far_->raw.size(), 211u);
}

TEST_F(WebsocketChannelTest, NothingIsSentFromWithinAppend) {
  open();
  append("one");
  far_->pump();
  EXPECT_EQ(far_->raw.size(), 0u);
  run_ready(loop_);
  far_->pump();
  EXPECT_THAT(far_->events(), ElementsAre("text one"));
}

TEST_F(WebsocketChannelTest, AClientMasksEveryMessageWithItsOwnKey) {
  open(Role::client);
  const std::string text(100, 'a');
  append(text);
  append(text);
  append(text);
  ASSERT_TRUE(until_events(3));
  EXPECT_THAT(far_->events(), ElementsAre("text " + text, "text " + text, "text " + text));
  EXPECT_FALSE(far_->decoder_failed()) << "an unmasked frame of a client is a protocol error";
  EXPECT_EQ(far_->raw.find("aaaa"), std::string::npos);
  EXPECT_NE(far_->raw.substr(0, 106), far_->raw.substr(106, 106));
}

TEST_F(WebsocketChannelTest, AnswersOfOneWakeUpLeaveBeforeTheNext) {
  open();
  recorder_.on_text = [&](std::string_view text) { append("re " + std::string(text)); };
  far_->send(frame(text_frame, "a") + frame(text_frame, "b") + frame(binary_frame, "c"));
  ASSERT_TRUE(until_events(3));
  EXPECT_THAT(far_->events(), ElementsAre("text re a", "text re b", "text re c"));
  EXPECT_THAT(recorder_.messages, ElementsAre("a", "b", "c"));
}

TEST_F(WebsocketChannelTest, MessagesInAnyPortionsArrive) {
  open();
  const std::string bytes = frame(text_frame, "hello") + make_fragment(far_role_, text_frame, "one ", false) +
                            make_fragment(far_role_, 0, "two", true);
  for (const char byte : bytes) {
    far_->send({&byte, 1});
    run_ready(loop_);
  }
  ASSERT_TRUE(until_messages(2));
  EXPECT_THAT(recorder_.messages, ElementsAre("hello", "one two"));
}

TEST_F(WebsocketChannelTest, EarlyInputComesFirstAndFromTheLoop) {
  const std::string first = make_frame(Role::client, text_frame, "early");
  const std::string second = make_frame(Role::client, text_frame, "split");
  open(Role::server, first + second.substr(0, 4));
  EXPECT_TRUE(recorder_.messages.empty());
  far_->send(second.substr(4));
  ASSERT_TRUE(until_messages(2));
  EXPECT_THAT(recorder_.messages, ElementsAre("early", "split"));
}

TEST_F(WebsocketChannelTest, PausesWhenTheHandlerSaysSoAndGoesOnFromTheLoop) {
  open();
  recorder_.accepting = false;
  far_->send(frame(text_frame, "1") + frame(text_frame, "2") + frame(text_frame, "3"));
  ASSERT_TRUE(until_messages(1));
  far_->send(frame(text_frame, "4"));
  run_ready(loop_);
  EXPECT_THAT(recorder_.messages, ElementsAre("1"));
  channel_->resume_reading();
  EXPECT_THAT(recorder_.messages, ElementsAre("1")) << "never from within the call";
  run_ready(loop_);
  EXPECT_THAT(recorder_.messages, ElementsAre("1", "2"));
  recorder_.accepting = true;
  channel_->resume_reading();
  ASSERT_TRUE(until_messages(4));
  EXPECT_THAT(recorder_.messages, ElementsAre("1", "2", "3", "4"));
}

TEST_F(WebsocketChannelTest, ResumeWithoutAPauseDoesNothing) {
  open();
  channel_->resume_reading();
  run_ready(loop_);
  far_->send(frame(text_frame, "1"));
  ASSERT_TRUE(until_messages(1));
}

TEST_F(WebsocketChannelTest, AnswersAPing) {
  open();
  far_->send(frame(ping_frame, "are you there") + frame(pong_frame, "unasked"));
  ASSERT_TRUE(until_events(1));
  EXPECT_THAT(far_->events(), ElementsAre("pong are you there"));
}

TEST_F(WebsocketChannelTest, AClientMasksItsPongs) {
  open(Role::client);
  append("before");
  far_->send(frame(ping_frame, "x"));
  ASSERT_TRUE(until_events(2));
  EXPECT_THAT(far_->events(), ::testing::UnorderedElementsAre("text before", "pong x"));
  EXPECT_FALSE(far_->decoder_failed());
}

TEST_F(WebsocketChannelTest, PingsInItsInterval) {
  open(Role::server, {}, std::chrono::milliseconds(1));
  ASSERT_TRUE(until_events(3));
  EXPECT_THAT(std::vector(far_->events().begin(), far_->events().begin() + 3),
              ElementsAre("ping 1", "ping 2", "ping 3"));
}

TEST_F(WebsocketChannelTest, ReportsAnOversizeMessageAndGoesOn) {
  open();
  // Only its end is awaited; the bytes are thrown away as they come.
  const std::string head = frame(text_frame, std::string(limits::message_bytes_max + 1, 'x'));
  std::string_view left = head;
  ASSERT_TRUE(until([&] {
    left.remove_prefix(far_->send(left.substr(0, 1 << 20)));
    return left.empty();
  }));
  far_->send(frame(text_frame, "next"));
  ASSERT_TRUE(until_messages(1));
  EXPECT_THAT(recorder_.oversize, ElementsAre(limits::message_bytes_max + 1));
  EXPECT_THAT(recorder_.messages, ElementsAre("next"));
  EXPECT_EQ(recorder_.closed_calls, 0);
}

TEST_F(WebsocketChannelTest, AProtocolErrorIsAnsweredByItsCode) {
  open();
  far_->send(frame(3, "reserved opcode"));
  ASSERT_TRUE(until_closed());
  EXPECT_THAT(far_->events(), ElementsAre(HasSubstr("close 1002")));
  EXPECT_EQ(recorder_.closed_calls, 1);
}

TEST_F(WebsocketChannelTest, TextThatIsNotUtf8IsAnsweredByItsCode) {
  open();
  far_->send(frame(text_frame, "good") + frame(text_frame, "\xff") + frame(text_frame, "never"));
  ASSERT_TRUE(until_closed());
  EXPECT_THAT(far_->events(), ElementsAre(HasSubstr("close 1007")));
  EXPECT_THAT(recorder_.messages, ElementsAre("good"));
}

TEST_F(WebsocketChannelTest, AnUnmaskedFrameOfAClientIsAProtocolError) {
  open();
  far_->send(frame(text_frame, "bare", {.wrong_mask = true}));
  ASSERT_TRUE(until_closed());
  EXPECT_THAT(far_->events(), ElementsAre(HasSubstr("close 1002")));
}

TEST_F(WebsocketChannelTest, ACloseIsEchoedAndEnds) {
  open();
  far_->send(frame(close_frame, std::string("\x03\xe9", 2) + "going") + frame(text_frame, "after"));
  ASSERT_TRUE(until_closed());
  EXPECT_THAT(far_->events(), ElementsAre("close 1001 "));
  EXPECT_TRUE(recorder_.messages.empty());
  EXPECT_EQ(recorder_.closed_reason, "the peer closed the websocket");
}

TEST_F(WebsocketChannelTest, TheEndOfTheStreamIsToldOnce) {
  open();
  far_->hang_up();
  ASSERT_TRUE(run_until(loop_, [&] { return recorder_.closed_calls > 0; }));
  run_ready(loop_);
  EXPECT_EQ(recorder_.closed_calls, 1);
}

TEST_F(WebsocketChannelTest, CloseDropsWithoutAFrameAndTellsFromTheLoop) {
  open();
  append("last words");
  channel_->close("done");
  EXPECT_EQ(recorder_.closed_calls, 0);
  ASSERT_TRUE(until_closed());
  EXPECT_THAT(far_->events(), ElementsAre("text last words"));
  EXPECT_EQ(recorder_.closed_reason, "done");
  channel_->close("again");
  run_ready(loop_);
  EXPECT_EQ(recorder_.closed_calls, 1);
}

TEST_F(WebsocketChannelTest, ClosingFromWithinAMessageEndsThere) {
  open();
  recorder_.on_text = [&](std::string_view) { channel_->close("enough"); };
  far_->send(frame(text_frame, "1") + frame(text_frame, "2"));
  ASSERT_TRUE(until_closed());
  EXPECT_THAT(recorder_.messages, ElementsAre("1"));
}

TEST_F(WebsocketChannelTest, WhatIsAppendedAfterTheCloseGoesNowhereAndDoesNotPileUp) {
  open();
  channel_->close("done");
  for (int i = 0; i < 100; ++i) append(std::string(100'000, 'x'));
  EXPECT_TRUE(channel_->writable());
  ASSERT_TRUE(until_closed());
  EXPECT_EQ(far_->raw.size(), 0u);
}

TEST_F(WebsocketChannelTest, DestroyedWithWorkUnderWayCallsNothing) {
  open();
  append("never sent");
  channel_->close("done");
  channel_.reset();
  run_ready(loop_);
  EXPECT_EQ(recorder_.closed_calls, 0);
}

TEST_F(WebsocketChannelTest, AnIdleOneHoldsNoOutgoingMemory) {
  open();
  append("x");
  ASSERT_TRUE(until_events(1));
  EXPECT_EQ(resources_.spares.count(), 1u) << "the block is back with the loop";
}

TEST_F(WebsocketChannelTest, AStreamThatCannotBeWatchedEndsThatConnectionAlone) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()), 0);
  const os::FileDescriptor far(pair[1]);
  auto stream = std::make_unique<SocketStream>(loop_, os::FileDescriptor(pair[0]));
  auto earlier = std::make_unique<Watch>(loop_, pair[0], [] {});  // the system takes a descriptor once
  channel_ = std::make_unique<WebsocketChannel>(resources_, std::move(stream), WebsocketChannel::Settings{});
  run_ready(loop_);
  channel_->start(recorder_);
  append("goes nowhere");
  EXPECT_EQ(recorder_.closed_calls, 0) << "not from within the call";
  ASSERT_TRUE(run_until(loop_, [&] { return recorder_.closed_calls > 0; }));
  run_ready(loop_);
  EXPECT_EQ(recorder_.closed_calls, 1);
  EXPECT_EQ(recorder_.closed_reason, "File exists (os error 17)");
  EXPECT_EQ(channel_->dissolve(), nullptr);
  earlier.reset();  // it borrows what the channel closes
}

}  // namespace
}  // namespace outpost::transport::test
