#include "local/process/entry_queue.h"

#include <gtest/gtest.h>

namespace outpost::local {
namespace {

Entry numbered(std::uint64_t seq) {
  Entry entry;
  entry.seq = seq;
  return entry;
}

TEST(EntryQueue, IsFirstInFirstOut) {
  EntryQueue queue;
  EXPECT_TRUE(queue.empty());
  for (std::uint64_t i = 1; i <= 100; ++i) queue.push_back(numbered(i));
  EXPECT_EQ(queue.size(), 100u);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    EXPECT_EQ(queue.front().seq, i);
    queue.pop_front();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EntryQueue, KeepsTheOrderWhenItGrowsWithItsHeadInTheMiddle) {
  // Every fill level and every place of the head, so that each growth meets a wrapped queue.
  for (std::size_t fill = 1; fill <= 17; ++fill) {
    EntryQueue queue;
    std::uint64_t in = 0, out = 0;
    for (int turn = 0; turn < 40; ++turn) {
      while (queue.size() < fill) queue.push_back(numbered(++in));
      for (std::size_t i = 0; i < queue.size(); ++i) ASSERT_EQ(queue[i].seq, out + 1 + i);
      queue.pop_front();
      ++out;
    }
    for (int i = 0; i < 40; ++i) queue.push_back(numbered(++in));
    for (std::size_t i = 0; i < queue.size(); ++i) ASSERT_EQ(queue[i].seq, out + 1 + i) << "fill " << fill;
  }
}

TEST(EntryQueue, EntriesCanBeChangedInPlace) {
  EntryQueue queue;
  queue.push_back(numbered(1));
  queue.push_back(numbered(2));
  queue[1].sent_offset = 9;
  queue.pop_front();
  EXPECT_EQ(queue.front().sent_offset, 9u);
}

}  // namespace
}  // namespace outpost::local
