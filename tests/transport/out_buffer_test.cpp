#include "transport/out_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/limits/connections.h"

namespace outpost::transport {
namespace {

void put(OutBuffer& buffer, std::string_view text) {
  std::ranges::copy(text, buffer.extend(text.size()).begin());
}

/// A block that came from a buffer that held `bytes`.
SpareBuffers::Block block_of(std::size_t bytes) {
  return {std::make_unique_for_overwrite<char[]>(bytes), bytes};
}

TEST(OutBuffer, TakesAtTheEndAndGivesFromTheFront) {
  SpareBuffers spares;
  OutBuffer buffer(spares);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.pending(), "");
  put(buffer, "abc");
  put(buffer, "defg");
  EXPECT_EQ(buffer.size(), 7u);
  EXPECT_EQ(buffer.pending(), "abcdefg");
  buffer.consume(2);
  EXPECT_EQ(buffer.pending(), "cdefg");
  EXPECT_EQ(std::string(buffer.last(3).begin(), buffer.last(3).end()), "efg");
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
}

TEST(OutBuffer, EmptyOneHoldsNoMemory) {
  SpareBuffers spares;
  OutBuffer buffer(spares);
  put(buffer, "abc");
  EXPECT_EQ(spares.count(), 0u);
  buffer.consume(3);
  EXPECT_EQ(spares.count(), 1u) << "the block went back";
  put(buffer, "def");
  EXPECT_EQ(spares.count(), 0u) << "and is used again";
}

TEST(OutBuffer, GivesItsBlockBackWhenDestroyed) {
  SpareBuffers spares;
  {
    OutBuffer buffer(spares);
    put(buffer, "abc");
  }
  EXPECT_EQ(spares.count(), 1u);
  {
    OutBuffer unused(spares);
  }
  EXPECT_EQ(spares.count(), 1u);
}

TEST(OutBuffer, ASlowReaderOfMuchOutputStaysInOneBlock) {
  SpareBuffers spares;
  OutBuffer buffer(spares);
  const std::string piece(1000, 'x');
  for (int i = 0; i < 10; ++i) put(buffer, piece);
  const std::size_t capacity_bound = 32768;
  std::size_t moves = 0;
  const char* block = nullptr;
  for (int i = 0; i < 10'000; ++i) {
    put(buffer, piece);
    buffer.consume(piece.size());
    const char* begin = buffer.pending().data();
    if (block == nullptr || begin < block || begin >= block + capacity_bound) {
      block = begin;
      ++moves;
    }
  }
  EXPECT_EQ(buffer.size(), 10'000u);
  EXPECT_LE(moves, 3u) << "what was sent makes room for what comes";
}

TEST(OutBuffer, SmallPiecesBehindMuchThatIsHeldSeldomMoveIt) {
  SpareBuffers spares;
  OutBuffer buffer(spares);
  put(buffer, std::string(16'000, 'x'));
  const std::string piece(100, 'x');
  std::size_t moves = 0;
  const char* begin = buffer.pending().data();
  for (int i = 0; i < 10'000; ++i) {
    put(buffer, piece);
    buffer.consume(piece.size());
    if (buffer.pending().data() != begin + piece.size()) ++moves;
    begin = buffer.pending().data();
  }
  EXPECT_LE(moves, 10'000 * piece.size() / 8'000 + 1) << "no more is copied than twice what comes";
}

TEST(OutBuffer, AgreesWithAStringWhateverIsDone) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  SpareBuffers spares;
  OutBuffer buffer(spares);
  std::string expected;
  char next = 0;
  for (int step = 0; step < 20'000; ++step) {
    std::string piece(random() % (step % 100 == 0 ? 20'000 : 300), '\0');
    for (char& c : piece) c = ++next;
    put(buffer, piece);
    expected += piece;
    const std::size_t sent =
        random() % 4 == 0 ? expected.size() : std::min<std::size_t>(random() % 400, expected.size());
    buffer.consume(sent);
    expected.erase(0, sent);
    ASSERT_EQ(buffer.pending(), expected) << "step " << step;
  }
}

TEST(SpareBuffers, KeepsTwoAndTheLargerOnes) {
  SpareBuffers spares;
  spares.give(block_of(100));
  spares.give(block_of(200));
  spares.give(block_of(50));
  EXPECT_EQ(spares.count(), limits::spare_buffers_max);
  spares.give(block_of(300));
  EXPECT_EQ(spares.count(), limits::spare_buffers_max);
  std::vector<std::size_t> kept = {spares.take().capacity, spares.take().capacity};
  std::ranges::sort(kept);
  EXPECT_EQ(kept, (std::vector<std::size_t>{200, 300}));
  EXPECT_EQ(spares.take().capacity, 0u);
}

TEST(SpareBuffers, KeepsNoHugeBlock) {
  SpareBuffers spares;
  spares.give(block_of(limits::spare_buffer_bytes_max + 1));
  EXPECT_EQ(spares.count(), 0u);
  spares.give(block_of(limits::spare_buffer_bytes_max));
  EXPECT_EQ(spares.count(), 1u);
}

TEST(SpareBuffers, KeepsNoEmptyBlock) {
  SpareBuffers spares;
  spares.give({});
  EXPECT_EQ(spares.count(), 0u);
}

}  // namespace
}  // namespace outpost::transport
