#include "client/event_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace outpost::client {
namespace {

ProcessEvent event(std::uint64_t seq, std::size_t bytes = 0) {
  ProcessEvent made;
  made.seq = seq;
  made.bytes = Bytes(bytes);
  return made;
}

std::vector<std::uint64_t> take_all(EventOrder& order) {
  std::vector<std::uint64_t> seqs;
  while (const auto next = order.next()) seqs.push_back(next->seq);
  return seqs;
}

using Seqs = std::vector<std::uint64_t>;

TEST(EventOrder, GivesEventsInOrder) {
  EventOrder order;
  EXPECT_FALSE(order.next());
  EXPECT_TRUE(order.add(event(2)));
  EXPECT_FALSE(order.next());
  EXPECT_TRUE(order.add(event(3)));
  EXPECT_TRUE(order.add(event(1)));
  EXPECT_EQ(take_all(order), (Seqs{1, 2, 3}));
  EXPECT_EQ(order.next_seq(), 4u);
}

TEST(EventOrder, DropsNumbersSeenBefore) {
  EventOrder order;
  EXPECT_TRUE(order.add(event(1)));
  EXPECT_EQ(take_all(order), (Seqs{1}));
  EXPECT_TRUE(order.add(event(1)));
  EXPECT_TRUE(order.add(event(0)));
  EXPECT_FALSE(order.next());
  EXPECT_TRUE(order.add(event(3, 5)));
  EXPECT_TRUE(order.add(event(3, 7)));
  EXPECT_TRUE(order.add(event(2)));
  EXPECT_EQ(order.next()->seq, 2u);
  EXPECT_EQ(order.next()->bytes.size(), 5u) << "the first one counts";
  EXPECT_FALSE(order.next());
}

TEST(EventOrder, HoldsTwoHundredFiftySixThatWait) {
  EventOrder order;
  for (std::uint64_t seq = 2; seq < 2 + 256; ++seq) ASSERT_TRUE(order.add(event(seq))) << seq;
  const Result<> one_more = order.add(event(258));
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().kind, ErrorKind::limit_reached);
}

TEST(EventOrder, TheMissingEventPassesThoughTheBoundIsReached) {
  EventOrder order;
  for (std::uint64_t seq = 2; seq < 2 + 256; ++seq) ASSERT_TRUE(order.add(event(seq)));
  EXPECT_TRUE(order.add(event(1)));
  EXPECT_EQ(take_all(order).size(), 257u);
}

TEST(EventOrder, HoldsOneMebibyteThatWaits) {
  EventOrder order;
  EXPECT_TRUE(order.add(event(2, 1048576)));
  EXPECT_TRUE(order.add(event(3, 0)));
  EXPECT_FALSE(order.add(event(4, 1)));
}

TEST(EventOrder, BytesThatWereTakenOutDoNotCount) {
  EventOrder order;
  for (std::uint64_t seq = 1; seq < 100; ++seq) {
    ASSERT_TRUE(order.add(event(seq, 1048576)));
    ASSERT_TRUE(order.next());
  }
  EXPECT_TRUE(order.add(event(101, 1048576)));
  EXPECT_FALSE(order.add(event(102, 1)));
}

TEST(EventOrder, DuplicatesDoNotFillTheBounds) {
  EventOrder order;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(order.add(event(2, 100'000)));
  EXPECT_TRUE(order.add(event(3, 900'000)));
}

TEST(EventOrder, AnEventMayHaveOneMebibyteAlsoInItsTurn) {
  EventOrder order;
  EXPECT_TRUE(order.add(event(1, 1048576)));
  EXPECT_EQ(order.next()->bytes.size(), 1048576u);
  const Result<> larger = order.add(event(2, 1048577));
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().kind, ErrorKind::limit_reached);
}

TEST(EventOrder, TheEventThatFillsTheGapIsLetInThoughTheBytesAreFull) {
  EventOrder order;
  EXPECT_TRUE(order.add(event(2, 1048576)));
  EXPECT_TRUE(order.add(event(1, 1048576)));
  EXPECT_EQ(take_all(order), (Seqs{1, 2}));
}

TEST(EventOrder, BringsAnyOrderWithinTheBoundsInLine) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Seqs sent;
  for (std::uint64_t seq = 1; seq <= 5000; ++seq) sent.push_back(seq);
  for (auto block = sent.begin(); block != sent.end(); block += 200) std::shuffle(block, block + 200, random);
  EventOrder order;
  Seqs got;
  for (const std::uint64_t seq : sent) {
    ASSERT_TRUE(order.add(event(seq, 10)));
    for (const std::uint64_t ready : take_all(order)) got.push_back(ready);
  }
  std::ranges::sort(sent);
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace outpost::client
