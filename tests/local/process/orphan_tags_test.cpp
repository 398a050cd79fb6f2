#include "local/process/orphan_tags.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/limits/system.h"

namespace outpost::local {
namespace {

using Tags = std::vector<std::uint32_t>;

Tags sorted(Tags tags) {
  std::ranges::sort(tags);
  return tags;
}

TEST(OrphanTags, AreDifferentAndBelongToTheirScope) {
  OrphanTags tags;
  const std::uint32_t a = tags.take(1), b = tags.take(2), c = tags.take(1);
  EXPECT_EQ(sorted(tags.of(1)), (Tags{a, c}));
  EXPECT_EQ(tags.of(2), Tags{b});
  EXPECT_TRUE(tags.of(3).empty());
}

TEST(OrphanTags, OneBeyondAllGivesNone) {
  OrphanTags tags;
  for (std::uint32_t i = 0; i < limits::orphan_tag_max; ++i) ASSERT_NE(tags.take(1), 0u);
  EXPECT_EQ(tags.take(1), 0u);
  tags.closed(5);
  EXPECT_EQ(tags.take(1), 0u) << "it may still be carried";
  tags.release_all_but(tags.closed(), {});
  EXPECT_EQ(tags.take(1), 5u);
}

TEST(OrphanTags, ANumberComesAgainAsLateAsPossible) {
  OrphanTags tags;
  const std::uint32_t first = tags.take(1);
  tags.closed(first);
  tags.release_all_but(tags.closed(), {});
  for (std::uint32_t i = 1; i < limits::orphan_tag_max; ++i) ASSERT_NE(tags.take(1), first);
  EXPECT_EQ(tags.take(1), first);
}

TEST(OrphanTags, WhatALookSawAliveStaysWithItsScope) {
  OrphanTags tags;
  const std::uint32_t dead = tags.take(1), daemon = tags.take(1), running = tags.take(1);
  tags.closed(dead);
  tags.closed(daemon);
  const auto looked_for = tags.closed();
  const std::uint32_t late = tags.take(1);
  tags.closed(late);  // after the look began
  tags.release_all_but(looked_for, {daemon, running});
  EXPECT_EQ(sorted(tags.of(1)), sorted({daemon, running, late}));
  EXPECT_EQ(tags.closed().size(), 2u);
}

TEST(OrphanTags, ALookIsDueAfterSoMany) {
  OrphanTags tags;
  for (std::size_t i = 0; i < limits::closed_orphan_tags_max; ++i) {
    EXPECT_FALSE(tags.look_is_due());
    tags.closed(tags.take(1));
  }
  EXPECT_TRUE(tags.look_is_due());
}

TEST(OrphanTags, ClosingWhatHasNoTagIsNothing) {
  OrphanTags tags;
  tags.closed(0);
  tags.closed(17);
  EXPECT_TRUE(tags.closed().empty());
}

}  // namespace
}  // namespace outpost::local
