#include "base/uuid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/hex.h"

namespace outpost {
namespace {

TEST(Uuid, RandomOnesHaveFormVersionAndVariant) {
  for (int i = 0; i < 200; ++i) {
    const std::string uuid = random_uuid_v4();
    ASSERT_TRUE(is_uuid(uuid)) << uuid;
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_TRUE(std::string_view("89ab").contains(uuid[19])) << uuid;
    EXPECT_TRUE(std::ranges::none_of(uuid, [](char c) { return c >= 'A' && c <= 'F'; })) << uuid;
  }
}

TEST(Uuid, RandomOnesDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_uuid_v4());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Uuid, TakesBothCasesAndRefusesOtherForms) {
  EXPECT_TRUE(is_uuid("00000000-0000-0000-0000-000000000000"));
  EXPECT_TRUE(is_uuid("0189ABcd-EF00-7fff-9000-00000000000f"));
  EXPECT_FALSE(is_uuid(""));
  EXPECT_FALSE(is_uuid("0189abcdef007fff900000000000000f"));
  EXPECT_FALSE(is_uuid("0189abcd-ef00-7fff-9000-00000000000"));
  EXPECT_FALSE(is_uuid("0189abcd-ef00-7fff-9000-00000000000f0"));
  EXPECT_FALSE(is_uuid("{189abcd-ef00-7fff-9000-00000000000}"));
}

TEST(Uuid, RefusesAWrongCharacterAtEveryPlace) {
  const std::string good = "0189abcd-ef00-7fff-9000-00000000000f";
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = good[i] == '-' ? '0' : 'g';
    EXPECT_FALSE(is_uuid(bad)) << bad;
  }
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
