#include "transport/line_splitter.h"

#include <gtest/gtest.h>

#include "transport/line_events.h"

namespace outpost::transport::test {
namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view bytes, std::size_t portion = SIZE_MAX, FrameLimits limits = {}) {
  return split_lines(bytes, portion, limits).events;
}

TEST(LineSplitter, ALineIsAMessageWhateverItsEnd) {
  EXPECT_EQ(split("one\ntwo\r\nthree"), (Lines{"one", "two", "three"}));
  EXPECT_EQ(split("a\rb\r\r\n"), (Lines{"a\rb\r"}));
  EXPECT_EQ(split(" x \n"), Lines{" x "});
  EXPECT_EQ(split(std::string("a\0b\n", 4)), Lines{std::string("a\0b", 3)});
}

TEST(LineSplitter, BlankLinesAreSkipped) {
  EXPECT_EQ(split("\n\r\n  \t \n\n"), Lines{});
  EXPECT_EQ(split("  "), Lines{});
  EXPECT_EQ(split(""), Lines{});
}

TEST(LineSplitter, AnyPortionsGiveTheSameLines) {
  const std::string text = "{\"a\":1}\r\n\n  \n\xc3\xa4\xe2\x82\xac\nlast line";
  const auto whole = split_lines(text, text.size());
  EXPECT_EQ(whole.events.size(), 3u);
  for (std::size_t portion = 1; portion < text.size(); ++portion)
    EXPECT_EQ(split_lines(text, portion), whole) << portion;
}

TEST(LineSplitter, EveryPrefixGivesTheLinesThatItHolds) {
  const std::string text = "one\ntwo\r\nthree\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const Lines lines = split(text.substr(0, size));
    ASSERT_LE(lines.size(), 3u);
    std::string together;
    for (const std::string& line : lines) together += line;
    std::string expected;
    for (const char c : text.substr(0, size)) {
      if (c != '\n' && c != '\r') expected += c;
    }
    EXPECT_EQ(together, expected) << size;
  }
}

TEST(LineSplitter, ALineMayHaveAllThatAMessageMayAndOneByteMoreIsDiscarded) {
  const FrameLimits limits{.message_bytes_max = 8, .discarded_message_bytes_max = 16};
  for (const std::size_t portion : {SIZE_MAX, std::size_t{1}, std::size_t{3}}) {
    EXPECT_EQ(split("12345678\n12345678\r\nx\n", portion, limits), (Lines{"12345678", "12345678", "x"}));
    EXPECT_EQ(split("123456789\nx\n", portion, limits), (Lines{"too long: 9", "x"})) << portion;
    EXPECT_EQ(split("1234567890123456\nx\n", portion, limits), (Lines{"too long: 16", "x"})) << portion;
    EXPECT_EQ(split("123456789", portion, limits), Lines{"too long: 9"}) << portion;
  }
}

TEST(LineSplitter, ALineBeyondAllBoundsIsTheEnd) {
  const FrameLimits limits{.message_bytes_max = 8, .discarded_message_bytes_max = 16};
  for (const std::size_t portion : {std::size_t{1}, std::size_t{5}, std::size_t{17}}) {
    const auto outcome = split_lines("x\n12345678901234567", portion, limits);
    EXPECT_EQ(outcome.events, Lines{"x"});
    EXPECT_EQ(outcome.error, "a line is too long");
    EXPECT_EQ(outcome.held_bytes, 0u);
  }
}

TEST(LineSplitter, ALineThatIsNotUtf8IsTheEnd) {
  for (const std::string bad : {"\xff", "a\xc3", "\xed\xa0\x80"}) {
    const auto outcome = split_lines("good\n" + bad + "\nmore\n", SIZE_MAX);
    EXPECT_EQ(outcome.events, Lines{"good"});
    EXPECT_EQ(outcome.error, "a line is not UTF-8");
  }
  EXPECT_EQ(split_lines("\xc3\n\xa4\n", 1).error, "a line is not UTF-8") << "a character cut by the end of a line";
}

TEST(LineSplitter, StopsBehindALineWhereItIsToldTo) {
  LineSplitter splitter;
  LineLog log;
  log.stop = true;
  const std::string_view text = "one\ntwo\n";
  EXPECT_EQ(splitter.feed(text, log), 4u);
  EXPECT_EQ(splitter.feed(text.substr(4), log), 4u);
  EXPECT_EQ(log.events, (Lines{"one", "two"}));
}

TEST(LineSplitter, HoldsMemoryForAHalfLineOnly) {
  LineSplitter splitter;
  LineLog log;
  splitter.feed("one\n", log);
  EXPECT_EQ(splitter.held_bytes(), 0u);
  splitter.feed("tw", log);
  EXPECT_NE(splitter.held_bytes(), 0u);
  splitter.feed("o\n", log);
  EXPECT_EQ(splitter.held_bytes(), 0u);
}

}  // namespace
}  // namespace outpost::transport::test
