#include "transport/frame_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits/connections.h"
#include "base/limits/messages.h"
#include "transport/frame_events.h"

namespace outpost::transport::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr unsigned continuation = 0;
constexpr unsigned text = 1;
constexpr unsigned binary = 2;
constexpr unsigned close = 8;
constexpr unsigned ping = 9;
constexpr unsigned pong = 10;

std::string from_client(unsigned opcode, std::string_view payload, FrameShape shape = {}) {
  return make_frame(Role::client, opcode, payload, shape);
}

int error_of(std::string bytes) {
  return decode(Role::server, std::move(bytes)).error_code;
}

TEST(FrameDecoder, ReadsSeveralMessagesOfOneBuffer) {
  const auto outcome =
      decode(Role::server, from_client(text, "one") + from_client(binary, "\xff") + from_client(text, ""));
  EXPECT_THAT(outcome.events, ElementsAre("text one", "binary \xff", "text "));
  EXPECT_TRUE(outcome.idle);
  EXPECT_EQ(outcome.error_code, 0);
}

TEST(FrameDecoder, ReadsBareFramesAsClient) {
  const auto outcome = decode(Role::client, make_frame(Role::server, text, "x") + make_frame(Role::server, ping, "p"));
  EXPECT_THAT(outcome.events, ElementsAre("text x", "ping p"));
}

TEST(FrameDecoder, HandsOutWholeFramesWhereTheyAre) {
  std::string bytes = from_client(text, "first") + from_client(text, "second");
  FrameDecoder decoder(Role::server);
  EventLog log;
  EXPECT_EQ(decoder.feed(bytes, log), bytes.size());
  EXPECT_EQ(log.last_payload_place, bytes.data() + bytes.size() - 6);
  EXPECT_EQ(decoder.held_bytes(), 0U);
}

TEST(FrameDecoder, JoinsFragmentsAroundControlFrames) {
  const auto bytes = make_fragment(Role::client, text, "a", false) + from_client(ping, "1") +
                     make_fragment(Role::client, continuation, "", false) + from_client(pong, "2") +
                     make_fragment(Role::client, continuation, "b", true);
  EXPECT_THAT(decode(Role::server, bytes).events, ElementsAre("ping 1", "pong 2", "text ab"));
}

TEST(FrameDecoder, CharactersMayBeCutByFragments) {
  const auto bytes =
      make_fragment(Role::client, text, "\xc3", false) + make_fragment(Role::client, continuation, "\xa4", true);
  EXPECT_THAT(decode(Role::server, bytes).events, ElementsAre("text \xc3\xa4"));
}

TEST(FrameDecoder, AcceptsLengthsInALongerFormThanNeeded) {
  EXPECT_THAT(decode(Role::server, from_client(text, "x", {.length_bytes = 2})).events, ElementsAre("text x"));
  EXPECT_THAT(decode(Role::server, from_client(text, "x", {.length_bytes = 8})).events, ElementsAre("text x"));
}

TEST(FrameDecoder, StopsAfterTheMessageThatTheSinkSaysAndGoesOnLater) {
  std::string bytes = from_client(text, "a") + from_client(text, "b") + from_client(text, "c");
  FrameDecoder decoder(Role::server);
  EventLog log;
  log.stop_after_events = 2;
  const std::size_t used = decoder.feed(bytes, log);
  EXPECT_EQ(used, bytes.size() / 3 * 2);
  EXPECT_THAT(log.events, ElementsAre("text a", "text b"));
  log.stop_after_events = SIZE_MAX;
  EXPECT_EQ(decoder.feed(std::span(bytes).subspan(used), log), bytes.size() - used);
  EXPECT_THAT(log.events, ElementsAre("text a", "text b", "text c"));
}

TEST(FrameDecoder, ReportsACloseAndIgnoresWhatFollows) {
  const std::string payload = std::string("\x03\xe8", 2) + "bye";
  const auto outcome = decode(Role::server, from_client(close, payload) + from_client(text, "late") + "rubbish");
  EXPECT_THAT(outcome.events, ElementsAre("close 1000 bye"));
  EXPECT_TRUE(outcome.closed);
  EXPECT_TRUE(outcome.idle);
  EXPECT_EQ(outcome.error_code, 0);
}

TEST(FrameDecoder, ACloseInsideAFragmentedMessageFreesIt) {
  std::string bytes = make_fragment(Role::client, text, std::string(5000, 'x'), false) + from_client(close, "") + "abc";
  FrameDecoder decoder(Role::server);
  EventLog log;
  EXPECT_EQ(decoder.feed(bytes, log), bytes.size());
  EXPECT_THAT(log.events, ElementsAre("close 1005 "));
  EXPECT_EQ(decoder.held_bytes(), 0U);
  EXPECT_TRUE(decoder.idle());
}

TEST(FrameDecoder, CloseCodesAreChecked) {
  const auto close_of = [](unsigned code) {
    const char payload[] = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
    return from_client(close, {payload, 2});
  };
  for (const unsigned good : {1000U, 1001U, 1003U, 1007U, 1011U, 1014U, 3000U, 4001U, 4999U}) {
    EXPECT_EQ(error_of(close_of(good)), 0) << good;
  }
  for (const unsigned bad : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 2999U, 5000U, 65535U}) {
    EXPECT_EQ(error_of(close_of(bad)), 1002) << bad;
  }
}

TEST(FrameDecoder, BadCloseFramesAreProtocolErrors) {
  EXPECT_EQ(error_of(from_client(close, "x")), 1002);
  EXPECT_EQ(error_of(from_client(close, "\x03\xe8\xff")), 1002);
}

TEST(FrameDecoder, BadFramesAreProtocolErrors) {
  for (const unsigned bits : {1U, 2U, 4U}) EXPECT_EQ(error_of(from_client(text, "x", {.reserved_bits = bits})), 1002);
  for (const unsigned opcode : {3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 14U, 15U}) {
    EXPECT_EQ(error_of(from_client(opcode, "x")), 1002) << opcode;
  }
  EXPECT_EQ(error_of(from_client(ping, "x", {.final = false})), 1002);
  EXPECT_EQ(error_of(from_client(continuation, "x")), 1002);
  EXPECT_EQ(error_of(from_client(text, "a", {.final = false}) + from_client(text, "b")), 1002);
  EXPECT_EQ(error_of(from_client(text, "a", {.wrong_mask = true})), 1002);
  EXPECT_EQ(decode(Role::client, make_frame(Role::server, text, "a", {.wrong_mask = true})).error_code, 1002);
}

TEST(FrameDecoder, ControlFramesEndAt125Bytes) {
  EXPECT_THAT(decode(Role::server, from_client(ping, std::string(125, 'p'))).events,
              ElementsAre("ping " + std::string(125, 'p')));
  EXPECT_EQ(error_of(from_client(ping, std::string(126, 'p'))), 1002);
  EXPECT_EQ(error_of(from_client(ping, "p", {.length_bytes = 2})), 1002);
}

TEST(FrameDecoder, ALengthWithItsTopBitIsAProtocolError) {
  EXPECT_EQ(error_of(std::string("\x81\xff\x80\0\0\0\0\0\0\x01\1\2\3\4", 14)), 1002);
}

TEST(FrameDecoder, TextMustBeUtf8AndBinaryNeedNot) {
  EXPECT_EQ(error_of(from_client(text, "\xff")), 1007);
  EXPECT_EQ(error_of(from_client(text, "a", {.final = false}) + from_client(continuation, "\xc3")), 1007);
  EXPECT_EQ(error_of(from_client(binary, "\xff")), 0);
}

TEST(FrameDecoder, ConsumesNothingAfterAnError) {
  std::string bytes = from_client(text, "a") + from_client(3, "b") + from_client(text, "c");
  FrameDecoder decoder(Role::server);
  EventLog log;
  EXPECT_LT(decoder.feed(bytes, log), bytes.size());
  EXPECT_THAT(log.events, ElementsAre("text a"));
  std::string more = from_client(text, "d");
  EXPECT_EQ(decoder.feed(more, log), 0U);
  EXPECT_EQ(decoder.error()->close_code, 1002);
  EXPECT_EQ(decoder.error()->text, "unknown opcode");
  EXPECT_THAT(log.events, ElementsAre("text a"));
}

constexpr FrameLimits small_limits{.message_bytes_max = 10, .discarded_message_bytes_max = 20};

TEST(FrameDecoder, MessagesEndAtTheLimitInOneFrame) {
  const auto fits = decode(Role::server, from_client(text, "0123456789"), {}, small_limits);
  EXPECT_THAT(fits.events, ElementsAre("text 0123456789"));
  const auto over =
      decode(Role::server, from_client(text, "0123456789x") + from_client(text, "next"), {}, small_limits);
  EXPECT_THAT(over.events, ElementsAre("oversize 11", "text next"));
  EXPECT_EQ(over.error_code, 0);
  EXPECT_TRUE(over.idle);
}

TEST(FrameDecoder, MessagesEndAtTheLimitInFragments) {
  const auto fragments = [](std::string_view last) {
    return make_fragment(Role::client, binary, "01234", false) +
           make_fragment(Role::client, continuation, "567", false) + from_client(ping, "p") +
           make_fragment(Role::client, continuation, last, true) + from_client(text, "next");
  };
  EXPECT_THAT(decode(Role::server, fragments("89"), {}, small_limits).events,
              ElementsAre("ping p", "binary 0123456789", "text next"));
  EXPECT_THAT(decode(Role::server, fragments("89x"), {}, small_limits).events,
              ElementsAre("ping p", "oversize 11", "text next"));
}

TEST(FrameDecoder, DiscardedMessagesHaveALimitToo) {
  EXPECT_THAT(decode(Role::server, from_client(text, std::string(20, 'x')), {}, small_limits).events,
              ElementsAre("oversize 20"));
  EXPECT_EQ(decode(Role::server, from_client(text, std::string(21, 'x')), {}, small_limits).error_code, 1009);
  const auto fragments = make_fragment(Role::client, text, std::string(20, 'x'), false) +
                         make_fragment(Role::client, continuation, "x", true);
  const auto outcome = decode(Role::server, fragments, {}, small_limits);
  EXPECT_EQ(outcome.error_code, 1009);
  EXPECT_THAT(outcome.events, IsEmpty());
}

/// Feeds the head of a frame and then `payload_bytes` bytes of payload in portions as a socket gives them.
void feed_big(FrameDecoder& decoder, FrameSink& sink, std::uint64_t payload_bytes) {
  std::string head(frame_header_size(Role::client, payload_bytes), '\0');
  write_frame_header(head.data(), Role::client, Opcode::text, payload_bytes, 0);
  EXPECT_EQ(decoder.feed(head, sink), head.size());
  std::string portion(limits::receive_bytes, 'x');
  for (std::uint64_t left = payload_bytes; left > 0;) {
    const auto part = std::span(portion).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, portion.size())));
    ASSERT_EQ(decoder.feed(part, sink), part.size());
    left -= part.size();
  }
}

class SizeLog : public EventLog {
 public:
  bool on_message(std::string_view payload, bool) override {
    size = payload.size();
    return true;
  }
  std::size_t size = 0;
};

TEST(FrameDecoder, TakesMessagesOf64MebibytesAndDiscardsLongerOnes) {
  FrameDecoder decoder(Role::server);
  SizeLog log;
  feed_big(decoder, log, limits::message_bytes_max);
  EXPECT_EQ(log.size, 67108864U);
  EXPECT_EQ(decoder.held_bytes(), 0U);
  feed_big(decoder, log, limits::message_bytes_max + 1);
  EXPECT_THAT(log.events, ElementsAre("oversize 67108865"));
  EXPECT_TRUE(decoder.idle());
}

TEST(FrameDecoder, RefusesADeclaredGibibyteAndOneAtOnce) {
  FrameDecoder decoder(Role::server);
  EventLog log;
  std::string head(frame_header_bytes_max, '\0');
  write_frame_header(head.data(), Role::client, Opcode::text, limits::discarded_message_bytes_max + 1, 0);
  decoder.feed(head, log);
  EXPECT_EQ(decoder.error()->close_code, 1009);
}

TEST(FrameDecoder, MemoryFollowsWhatCameNotWhatWasDeclared) {
  FrameDecoder decoder(Role::server);
  EventLog log;
  std::string head(frame_header_bytes_max, '\0');
  write_frame_header(head.data(), Role::client, Opcode::text, limits::message_bytes_max, 0);
  decoder.feed(head, log);
  EXPECT_EQ(decoder.held_bytes(), 0U);
  std::size_t fed_bytes = 0;
  for (std::size_t portion : {1U, 10U, 1000U, 100000U, 1U}) {
    std::string part(portion, 'x');
    decoder.feed(part, log);
    fed_bytes += portion;
    EXPECT_LE(decoder.held_bytes(), 2 * fed_bytes);
  }
  EXPECT_FALSE(decoder.idle());
}

/// How often the memory of a message changes while it comes in `portions` equal parts, as fragments or as one frame.
std::size_t growths_of(std::size_t portions, bool fragmented) {
  FrameDecoder decoder(Role::server);
  SizeLog log;
  const std::string part(10, 'x');
  std::size_t growths = 0, held_bytes = 0;
  const auto feed = [&](std::string bytes) {
    decoder.feed(bytes, log);
    if (decoder.held_bytes() > held_bytes) ++growths;
    held_bytes = decoder.held_bytes();
  };
  if (!fragmented) {
    std::string head(frame_header_size(Role::client, portions * part.size()), '\0');
    write_frame_header(head.data(), Role::client, Opcode::text, portions * part.size(), 0);
    feed(head);
  }
  for (std::size_t i = 0; i < portions; ++i) {
    const bool last = i + 1 == portions;
    feed(fragmented ? make_fragment(Role::client, i == 0 ? text : continuation, part, last) : part);
  }
  EXPECT_EQ(log.size, portions * part.size());
  return growths;
}

TEST(FrameDecoder, TheMemoryOfAMessageInManyPiecesIsSeldomMoved) {
  constexpr std::size_t growths = 1 + 14;  // to 10 bytes, then doubled up to 100,000
  EXPECT_LE(growths_of(10000, true), growths);
  EXPECT_LE(growths_of(10000, false), growths);
}

TEST(FrameDecoder, HoldsNothingWhileDiscarding) {
  FrameDecoder decoder(Role::server, small_limits);
  EventLog log;
  std::string first = make_fragment(Role::client, text, "01234567", false);
  decoder.feed(first, log);
  EXPECT_GT(decoder.held_bytes(), 0U);
  std::string second = make_fragment(Role::client, continuation, "012345", false);
  decoder.feed(second, log);
  EXPECT_EQ(decoder.held_bytes(), 0U);
  EXPECT_FALSE(decoder.idle());
}

TEST(FrameDecoder, FreesItsBufferWhenAMessageInPiecesHasEnded) {
  FrameDecoder decoder(Role::server);
  EventLog log;
  std::string bytes = from_client(text, std::string(100000, 'x'));
  decoder.feed(std::span(bytes).first(50000), log);
  EXPECT_GT(decoder.held_bytes(), 0U);
  decoder.feed(std::span(bytes).subspan(50000), log);
  EXPECT_THAT(log.events, ElementsAre("text " + std::string(100000, 'x')));
  EXPECT_EQ(decoder.held_bytes(), 0U);
  EXPECT_TRUE(decoder.idle());
}

}  // namespace
}  // namespace outpost::transport::test
