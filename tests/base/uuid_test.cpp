#include "base/uuid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "base/hex.h"

namespace outpost {
namespace {

using ::testing::MatchesRegex;

TEST(Uuid, RandomOnesHaveFormVersionAndVariant) {
  for (int i = 0; i < 200; ++i) {
    const std::string uuid = random_uuid_v4();
    ASSERT_THAT(uuid, MatchesRegex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_TRUE(std::string_view("89ab").contains(uuid[19])) << uuid;
  }
}

TEST(Uuid, RandomOnesDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_uuid_v4());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(FillRandom, FillsAllOfALargeBuffer) {
  fill_random({});
  std::vector<std::byte> bytes(100000);
  fill_random(bytes);
  std::set<std::byte> tail(bytes.end() - 4096, bytes.end());
  EXPECT_GT(tail.size(), 200U);
}

TEST(Hex, TwoLowerCaseDigitsForEachByte) {
  EXPECT_EQ(to_hex({}), "");
  constexpr std::array bytes = {std::byte{0x00}, std::byte{0x0f}, std::byte{0xa0}, std::byte{0xff}};
  EXPECT_EQ(to_hex(bytes), "000fa0ff");
}

}  // namespace
}  // namespace outpost
