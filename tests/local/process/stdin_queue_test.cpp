#include "local/process/stdin_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/limits/processes.h"

namespace outpost::local {
namespace {

using wire::WriteStatus;

class StdinQueueTest : public ::testing::Test {
 protected:
  static std::string text_of(const Result<WriteStatus>& outcome) {
    if (!outcome) return outcome.error().message;
    return *outcome == WriteStatus::accepted ? "accepted" : "stdin closed";
  }
  void offer(const std::string& id, Bytes bytes) {
    queue_.offer({std::move(bytes), id},
                 [this, id](Result<WriteStatus> outcome) { answers_.push_back(id + ": " + text_of(outcome)); });
  }
  void offer(const std::string& id, std::string_view text) { offer(id, Bytes::copy_of(as_bytes(text))); }
  void fill(std::size_t chunks) {
    for (std::size_t i = 0; i < chunks; ++i) offer("fill " + std::to_string(i), "x");
    answers_.clear();
  }
  std::string take_all() {
    std::string text;
    while (!front().empty()) {
      text += front();
      queue_.consume(front().size());
    }
    return text;
  }

  /// All that may be written now.
  std::string front() {
    std::array<ByteView, 1000> pieces;
    std::string text;
    for (const ByteView& piece : std::span(pieces).first(queue_.front(pieces))) text += as_text(piece);
    return text;
  }
  StdinQueue queue_;
  std::vector<std::string> answers_;
};

using Answers = std::vector<std::string>;

TEST_F(StdinQueueTest, GivesChunksInOrderByPortions) {
  offer("1", "abc");
  offer("2", "de");
  EXPECT_EQ(answers_, (Answers{"1: accepted", "2: accepted"}));
  EXPECT_EQ(front(), "abcde");
  queue_.consume(2);
  EXPECT_EQ(front(), "cde");
  EXPECT_EQ(queue_.bytes(), 3u);
  queue_.consume(2);
  EXPECT_EQ(front(), "e");
  EXPECT_EQ(queue_.chunks(), 1u);
  EXPECT_EQ(take_all(), "e");
  EXPECT_EQ(queue_.bytes(), 0u);
  EXPECT_EQ(queue_.chunks(), 0u);
}

TEST_F(StdinQueueTest, HoldsOneHundredTwentyEightChunks) {
  fill(127);
  offer("128th", "x");
  EXPECT_EQ(answers_, (Answers{"128th: accepted"}));
  offer("129th", "x");
  EXPECT_EQ(queue_.waiting(), 1u);
  EXPECT_EQ(answers_.size(), 1u);
  queue_.consume(1);
  EXPECT_EQ(answers_.back(), "129th: accepted");
  EXPECT_EQ(queue_.chunks(), 128u);
}

TEST_F(StdinQueueTest, HoldsSixteenMebibytes) {
  offer("1", Bytes(limits::stdin_bytes_max - 1));
  offer("2", "x");
  EXPECT_EQ(answers_.size(), 2u);
  offer("3", "y");
  EXPECT_EQ(queue_.waiting(), 1u);
  // Room counts by what isn't written yet, but chunks leave whole.
  queue_.consume(limits::stdin_bytes_max - 1);
  EXPECT_EQ(answers_.back(), "3: accepted");
  EXPECT_EQ(take_all(), "xy");
}

TEST_F(StdinQueueTest, TakesAChunkOfAnySizeWhenEmpty) {
  offer("big", Bytes(limits::stdin_bytes_max + 1));
  EXPECT_EQ(answers_, (Answers{"big: accepted"}));
  offer("next", "x");
  EXPECT_EQ(queue_.waiting(), 1u);
  queue_.consume(limits::stdin_bytes_max + 1);
  EXPECT_EQ(answers_.back(), "next: accepted");
}

TEST_F(StdinQueueTest, ThoseWhoWaitComeInTheirOrderThoughALaterOneWouldFit) {
  offer("1", "x");
  offer("too big", Bytes(limits::stdin_bytes_max));
  offer("small", "z");
  EXPECT_EQ(queue_.waiting(), 2u);
  queue_.consume(1);
  EXPECT_EQ(answers_, (Answers{"1: accepted", "too big: accepted"}));
  queue_.consume(limits::stdin_bytes_max);
  EXPECT_EQ(answers_.back(), "small: accepted");
  EXPECT_EQ(take_all(), "z");
}

TEST_F(StdinQueueTest, ARepeatedIdIsAcceptedAndItsBytesIgnored) {
  offer("1", "abc");
  offer("1", "XYZ");
  EXPECT_EQ(answers_, (Answers{"1: accepted", "1: accepted"}));
  EXPECT_EQ(take_all(), "abc");
}

TEST_F(StdinQueueTest, ARepetitionOfOneThatStillWaitsIsNotWrittenTwice) {
  fill(128);
  offer("w", "a");
  offer("w", "a");
  offer("v", "b");
  EXPECT_EQ(queue_.waiting(), 3u);
  const std::string all = take_all();
  EXPECT_EQ(answers_, (Answers{"w: accepted", "w: accepted", "v: accepted"}));
  EXPECT_EQ(all, std::string(128, 'x') + "ab");
}

TEST_F(StdinQueueTest, EmptyChunksAreAcceptedAndTakeNoPlace) {
  for (int i = 0; i < 1000; ++i) offer(std::to_string(i), "");
  EXPECT_EQ(answers_.size(), 1000u);
  EXPECT_EQ(queue_.chunks(), 0u);
  EXPECT_TRUE(front().empty());
}

TEST_F(StdinQueueTest, CloseRefusesLaterWritesAndKeepsEarlierOnes) {
  fill(128);
  offer("waits", "a");
  queue_.close();
  EXPECT_FALSE(queue_.drained());
  offer("late", "b");
  EXPECT_EQ(answers_, (Answers{"late: stdin closed"}));
  offer("fill 0", "b");
  EXPECT_EQ(answers_.back(), "fill 0: accepted") << "a repetition isn't a new write";
  EXPECT_EQ(take_all(), std::string(128, 'x') + "a");
  EXPECT_EQ(answers_.back(), "waits: accepted");
  EXPECT_TRUE(queue_.drained());
}

TEST_F(StdinQueueTest, AnEmptyQueueIsDrainedOnlyWhenClosed) {
  EXPECT_FALSE(queue_.drained());
  queue_.close();
  EXPECT_TRUE(queue_.drained());
}

TEST_F(StdinQueueTest, EndAnswersThoseWhoWaitAndAllWhoCome) {
  fill(128);
  offer("waits", "a");
  queue_.end(fail(ErrorKind::stdin_failed, "gone"));
  offer("later", "b");
  EXPECT_EQ(answers_, (Answers{"waits: gone", "later: gone"}));
  EXPECT_TRUE(front().empty());
  EXPECT_EQ(queue_.bytes(), 0u);
  queue_.end(WriteStatus::stdin_closed);
  offer("still", "c");
  EXPECT_EQ(answers_.back(), "still: gone") << "the first end stays";
}

TEST_F(StdinQueueTest, ARepetitionAfterTheEndIsStillAccepted) {
  offer("1", "abc");
  queue_.end(fail(ErrorKind::stdin_failed, "gone"));
  offer("1", "abc");
  EXPECT_EQ(answers_.back(), "1: accepted");
}

TEST_F(StdinQueueTest, AWriteThatFailedIsNotRemembered) {
  fill(128);
  offer("waits", "a");
  queue_.end(WriteStatus::stdin_closed);
  offer("waits", "a");
  EXPECT_EQ(answers_, (Answers{"waits: stdin closed", "waits: stdin closed"}));
}

TEST_F(StdinQueueTest, AnAnswerMayOfferTheNextWrite) {
  fill(128);
  queue_.offer({Bytes::copy_of(as_bytes("a")), "a"}, [this](Result<WriteStatus>) { offer("b", "b"); });
  EXPECT_EQ(take_all(), std::string(128, 'x') + "ab");
  EXPECT_EQ(answers_, (Answers{"b: accepted"}));
}

}  // namespace
}  // namespace outpost::local
