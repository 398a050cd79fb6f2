#include "transport/line_channel.h"

#include <gtest/gtest.h>

#include "base/limits/connections.h"
#include "base/limits/messages.h"
#include "base/run_until.h"
#include "os/io.h"
#include "os/unix_socket.h"
#include "transport/socket_stream.h"

namespace outpost::transport {
namespace {

using testing::run_until;

/// A channel over one end of a pair of sockets; the test holds the other one.
class LineChannelTest : public ::testing::Test, protected channel::ChannelHandler {
 protected:
  LineChannelTest() {
    os::SocketPair pair = *os::make_socket_pair();
    EXPECT_TRUE(os::set_nonblocking(pair.first.get()));
    EXPECT_TRUE(os::set_nonblocking(pair.second.get()));
    far_ = std::move(pair.second);
    channel_ = std::make_unique<LineChannel>(resources_, std::make_unique<SocketStream>(loop_, std::move(pair.first)),
                                             [this] { events_.push_back("end"); });
    channel_->start(*this);
  }
  bool on_message(std::string_view text) override {
    messages_.emplace_back(text);
    return !stop_;
  }
  void on_oversize_message(std::uint64_t) override { events_.push_back("too long"); }
  void on_writable() override { events_.push_back("writable"); }
  void on_closed(const std::string& reason) override { events_.push_back("closed: " + reason); }

  void say(std::string_view text) {
    ASSERT_TRUE(run_until(loop_, [&] {
      const os::IoCount count = os::send_some(far_.get(), as_bytes(text));
      text.remove_prefix(count.bytes);
      return text.empty();
    }));
  }
  void send(std::string_view text) {
    const auto slot = channel_->append(text.size());
    std::ranges::copy(text, slot.bytes.begin());
    offset_ = slot.end_offset;
  }
  void hear() {
    std::array<std::byte, 65536> buffer;
    while (true) {
      const os::IoCount count = os::receive_some(far_.get(), buffer);
      if (count.status != os::IoCount::ok) return;
      heard_ += as_text(ByteView(buffer).first(count.bytes));
    }
  }
  bool until_closed() {
    return run_until(loop_, [&] { return !events_.empty() && events_.back() == "end"; });
  }

  Loop loop_;
  LoopResources resources_{loop_};
  os::FileDescriptor far_;
  std::unique_ptr<LineChannel> channel_;
  std::vector<std::string> messages_, events_;
  std::string heard_;
  std::uint64_t offset_ = 0;
  bool stop_ = false;
};

using Texts = std::vector<std::string>;

TEST_F(LineChannelTest, AMessageIsALineBothWays) {
  say("one\r\n\ntwo\nth");
  ASSERT_TRUE(run_until(loop_, [&] { return messages_.size() == 2; }));
  EXPECT_EQ(messages_, (Texts{"one", "two"}));
  send("answer");
  send("and more");
  EXPECT_EQ(offset_, 16u);
  ASSERT_TRUE(run_until(loop_, [&] { return hear(), heard_.size() == 16; }));
  EXPECT_EQ(heard_, "answer\nand more\n");
  EXPECT_EQ(channel_->kind(), channel::TransportKind::stdio);
  EXPECT_EQ(channel_->peer(), "");
  EXPECT_EQ(channel_->dissolve(), nullptr);
}

TEST_F(LineChannelTest, TheEndOfTheInputIsTheEndBehindItsLastLine) {
  say("one\nlast");
  far_.reset();
  ASSERT_TRUE(until_closed());
  EXPECT_EQ(messages_, (Texts{"one", "last"}));
  EXPECT_EQ(events_, (Texts{"closed: the input has ended", "end"}));
}

TEST_F(LineChannelTest, WhatIsNotUtf8IsTheEnd) {
  say("one\n\xff\ntwo\n");
  ASSERT_TRUE(until_closed());
  EXPECT_EQ(messages_, Texts{"one"});
  EXPECT_EQ(events_.front(), "closed: a line is not UTF-8");
}

TEST_F(LineChannelTest, NothingMoreIsHandedOverWhilePaused) {
  stop_ = true;
  say("one\ntwo\n");
  ASSERT_TRUE(run_until(loop_, [&] { return !messages_.empty(); }));
  say("three\n");
  loop_.run_ready();
  EXPECT_EQ(messages_, Texts{"one"});
  channel_->resume_reading();
  EXPECT_EQ(messages_, Texts{"one"}) << "the next one comes from the loop";
  ASSERT_TRUE(run_until(loop_, [&] { return messages_.size() == 2; }));
  stop_ = false;
  channel_->resume_reading();
  ASSERT_TRUE(run_until(loop_, [&] { return messages_.size() == 3; }));
  EXPECT_EQ(messages_, (Texts{"one", "two", "three"}));
}

TEST_F(LineChannelTest, AReaderThatIsSlowStopsUs) {
  const std::string big(limits::outgoing_bytes_busy + 1'000'000, 'x');
  send(big);
  EXPECT_FALSE(channel_->writable());
  EXPECT_FALSE(channel_->takes_answers());
  say("waits\n");
  loop_.run_ready();
  EXPECT_TRUE(messages_.empty());
  ASSERT_TRUE(run_until(loop_, [&] { return hear(), heard_.size() == big.size() + 1; }));
  ASSERT_TRUE(run_until(loop_, [&] { return !messages_.empty(); }));
  EXPECT_EQ(events_, Texts{"writable"});
  EXPECT_TRUE(channel_->writable());
}

TEST_F(LineChannelTest, AReaderThatIsGoneIsTheEnd) {
  far_.reset();
  send("nobody hears");
  ASSERT_TRUE(until_closed());
  send("goes nowhere");
}

TEST_F(LineChannelTest, CloseIsToldOnce) {
  send("last words");
  channel_->close("enough");
  channel_->close("twice");
  ASSERT_TRUE(until_closed());
  EXPECT_EQ(events_, (Texts{"closed: enough", "end"}));
  hear();
  EXPECT_EQ(heard_, "last words\n");
}

TEST_F(LineChannelTest, ALineBeyondTheLimitIsTold) {
  const std::string part(1'000'000, ' ');
  for (std::size_t said = 0; said <= limits::message_bytes_max + 1; said += part.size()) say(part);
  say("\nshort\n");
  ASSERT_TRUE(run_until(loop_, [&] { return !messages_.empty(); }));
  EXPECT_EQ(events_, Texts{"too long"});
  EXPECT_EQ(messages_, Texts{"short"});
}

}  // namespace
}  // namespace outpost::transport
