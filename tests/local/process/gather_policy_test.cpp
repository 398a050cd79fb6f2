#include "local/process/gather_policy.h"

#include <gtest/gtest.h>

namespace outpost::local {
namespace {

using namespace std::chrono_literals;

class GatherPolicyTest : public ::testing::Test {
 protected:
  static constexpr std::size_t pipe_bytes = 65536;
  GatherPolicy::Duration read(GatherPolicy::Duration after, std::size_t bytes) {
    return policy_.after_read(now_ += after, bytes, pipe_bytes);
  }
  /// Reads small pieces in quick succession until the policy wants to gather; how many it took.
  int stream_until_gathering() {
    for (int reads = 1; reads <= 1000; ++reads) {
      if (read(10us, 100) != GatherPolicy::Duration::zero()) return reads;
    }
    return 0;
  }

  GatherPolicy policy_;
  GatherPolicy::TimePoint now_ = GatherPolicy::TimePoint{} + 1h;
};

TEST_F(GatherPolicyTest, GathersAfterAStreakOfSmallQuickReads) {
  // The first read has no predecessor to be close to.
  EXPECT_EQ(stream_until_gathering(), GatherPolicy::streak_length + 1);
}

TEST_F(GatherPolicyTest, DelayIsTheDocumentedOne) {
  stream_until_gathering();
  EXPECT_EQ(read(GatherPolicy::delay, 5000), GatherPolicy::delay);
}

TEST_F(GatherPolicyTest, SlowReadsNeverGather) {
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(read(GatherPolicy::gap_of_a_stream, 100), GatherPolicy::Duration::zero());
}

TEST_F(GatherPolicyTest, LargeReadsNeverGather) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(read(10us, pipe_bytes / GatherPolicy::small_part_of_pipe), GatherPolicy::Duration::zero());
  }
}

TEST_F(GatherPolicyTest, OnePauseBreaksAStreak) {
  for (int i = 0; i < GatherPolicy::streak_length; ++i) read(10us, 100);
  EXPECT_EQ(read(1ms, 100), GatherPolicy::Duration::zero());
  EXPECT_EQ(stream_until_gathering(), GatherPolicy::streak_length);
}

TEST_F(GatherPolicyTest, StopsWhenNothingCame) {
  stream_until_gathering();
  EXPECT_EQ(read(GatherPolicy::delay, 0), GatherPolicy::Duration::zero());
}

TEST_F(GatherPolicyTest, StopsWhenTheReadsAreLargeAnyway) {
  stream_until_gathering();
  EXPECT_EQ(read(GatherPolicy::delay, pipe_bytes / GatherPolicy::large_part_of_pipe), GatherPolicy::Duration::zero());
}

TEST_F(GatherPolicyTest, WhatIsSmallDependsOnThePipe) {
  for (int i = 0; i < GatherPolicy::streak_length; ++i) policy_.after_read(now_ += 10us, 65535, 1048576);
  EXPECT_EQ(policy_.after_read(now_ += 10us, 65535, 1048576), GatherPolicy::delay);
  EXPECT_EQ(policy_.after_read(now_ += GatherPolicy::delay, 524287, 1048576), GatherPolicy::delay);
  EXPECT_EQ(policy_.after_read(now_ += GatherPolicy::delay, 524288, 1048576), GatherPolicy::Duration::zero());
}

TEST_F(GatherPolicyTest, StopsAfterALongerPause) {
  stream_until_gathering();
  EXPECT_EQ(read(GatherPolicy::pause_that_ends_it, 100), GatherPolicy::Duration::zero());
  EXPECT_GE(stream_until_gathering(), GatherPolicy::streak_length) << "a new streak is needed";
}

TEST_F(GatherPolicyTest, LateTimerDoesNotEndIt) {
  stream_until_gathering();
  EXPECT_EQ(read(GatherPolicy::delay * 4, 100), GatherPolicy::delay);
}

TEST_F(GatherPolicyTest, AnswersToInputNeverWait) {
  for (int i = 0; i < 1000; ++i) {
    policy_.input_given();
    EXPECT_EQ(read(10us, 100), GatherPolicy::Duration::zero());
  }
  stream_until_gathering();
  policy_.input_given();
  EXPECT_EQ(read(10us, 100), GatherPolicy::Duration::zero());
}

}  // namespace
}  // namespace outpost::local
