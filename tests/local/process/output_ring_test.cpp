#include "local/process/output_ring.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/limits/processes.h"

namespace outpost::local {
namespace {

void put(OutputRing& ring, std::uint64_t position, std::string_view text) {
  std::ranges::copy(as_bytes(text), ring.writable(position, text.size()).begin());
}

TEST(OutputRing, KeepsWhatWasWrittenWhileItGrows) {
  OutputRing ring(1048576);
  const std::string piece(60'000, 'a');
  for (std::uint64_t i = 0; i < 17; ++i)
    put(ring, i * piece.size(), std::string(piece.size(), static_cast<char>('a' + i)));
  for (std::uint64_t i = 0; i < 17; ++i) {
    EXPECT_EQ(as_text(ring.at(i * piece.size(), piece.size())), std::string(piece.size(), static_cast<char>('a' + i)));
  }
}

TEST(OutputRing, BeginsAgainAtItsStart) {
  OutputRing ring(10);
  EXPECT_EQ(ring.contiguous_at(0), 10u);
  EXPECT_EQ(ring.contiguous_at(7), 3u);
  EXPECT_EQ(ring.contiguous_at(10), 10u);
  put(ring, 7, "abc");
  put(ring, 10, "defghij");
  EXPECT_EQ(as_text(ring.at(7, 3)), "abc");
  EXPECT_EQ(as_text(ring.at(10, 7)), "defghij");
  EXPECT_EQ(as_text(ring.at(0, 7)), "defghij") << "the same place";
}

TEST(OutputRing, HoldsPositionsThatNeedSixtyFourBits) {
  OutputRing ring(1000);
  const std::uint64_t far = (std::uint64_t{1} << 40) * 1000 + 998;
  EXPECT_EQ(ring.contiguous_at(far), 2u);
  put(ring, far, "xy");
  EXPECT_EQ(as_text(ring.at(far, 2)), "xy");
}

/// Pages of memory that are there from `begin` on.
std::size_t resident_pages(const std::byte* begin, std::size_t bytes) {
  std::vector<unsigned char> pages(bytes / 4096);
  EXPECT_EQ(::mincore(const_cast<std::byte*>(begin), bytes, pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

/// What a ring of 1 MiB has surely mapped once something was put at `position`.
std::size_t mapped(std::uint64_t position) {
  return std::max<std::size_t>(65536, std::bit_ceil(static_cast<std::size_t>(position) + 1) / 2);
}

TEST(OutputRing, TakesMemoryAheadOnlyForWhoWritesMuch) {
  OutputRing ring(1048576);
  put(ring, 0, "a");
  const std::byte* memory = ring.at(0, 1).data();
  EXPECT_EQ(resident_pages(memory, 65536), 1u);
  put(ring, 4096, "b");
  EXPECT_LE(resident_pages(memory, 65536), 2u);
  for (std::uint64_t position = 8192; position < 1048576; position += 4096) {
    put(ring, position, "c");
    const std::size_t used = static_cast<std::size_t>(position) + 1,
                      ahead = std::min(used, limits::output_populate_bytes);
    memory = ring.at(0, 1).data();
    ASSERT_LE(resident_pages(memory, mapped(position)) * 4096, used + ahead + 8192) << position;
  }
}

TEST(OutputRing, TrimKeepsWhatLiesBeforeTheEnd) {
  OutputRing ring(1048576);
  const std::string text(200'000, 'x');
  put(ring, 0, text);
  ring.trim(5000);
  EXPECT_EQ(as_text(ring.at(0, 5000)), text.substr(0, 5000));
  ring.trim(0);
  EXPECT_EQ(as_text(ring.at(0, 100)), text.substr(0, 100)) << "a page stays";
}

TEST(OutputRing, TrimOfAnEmptyOrWrappedRingDoesNothing) {
  OutputRing empty(100);
  empty.trim(0);
  OutputRing wrapped(8);
  put(wrapped, 0, "abcdefgh");
  wrapped.trim(9);
  EXPECT_EQ(as_text(wrapped.at(0, 8)), "abcdefgh");
}

}  // namespace
}  // namespace outpost::local
