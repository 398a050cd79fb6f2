#include "local/process/write_ids.h"

#include <gtest/gtest.h>

#include <string>

#include "base/limits/processes.h"

namespace outpost::local {
namespace {

TEST(WriteIds, RemembersTheLastFourThousandNinetySix) {
  WriteIds ids;
  for (int i = 0; i < 4096; ++i) ids.remember(std::to_string(i));
  EXPECT_EQ(ids.size(), 4096u);
  EXPECT_TRUE(ids.contains("0"));
  ids.remember("4096");
  EXPECT_EQ(ids.size(), 4096u);
  EXPECT_FALSE(ids.contains("0"));
  EXPECT_TRUE(ids.contains("1"));
  EXPECT_TRUE(ids.contains("4096"));
}

TEST(WriteIds, SeeingAnIdAgainDoesNotRefreshItsPlace) {
  WriteIds ids;
  for (int i = 0; i < 4096; ++i) ids.remember(std::to_string(i));
  EXPECT_TRUE(ids.contains("0"));
  ids.remember("new");
  EXPECT_FALSE(ids.contains("0"));
}

TEST(WriteIds, TellsLongIdsApart) {
  WriteIds ids;
  const std::string longest_kept(limits::write_id_bytes_kept, 'a');
  const std::string longer(100'000, 'a');
  ids.remember(longest_kept);
  ids.remember(longer);
  EXPECT_TRUE(ids.contains(longest_kept));
  EXPECT_TRUE(ids.contains(longer));
  EXPECT_FALSE(ids.contains(longer + "a"));
  EXPECT_FALSE(ids.contains(longest_kept + "a"));
}

TEST(WriteIds, AForgottenIdCanBeRememberedAgain) {
  WriteIds ids;
  for (int i = 0; i <= 4096; ++i) ids.remember(std::to_string(i));
  ids.remember("0");
  EXPECT_TRUE(ids.contains("0"));
  EXPECT_FALSE(ids.contains("1"));
}

}  // namespace
}  // namespace outpost::local
