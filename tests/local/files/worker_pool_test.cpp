#include "local/files/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace outpost::local {
namespace {

using Lane = WorkerPool::Lane;

/// Work that stays until it is let go, and what was begun and ended.
class Bench {
 public:
  Task held(std::string name) {
    return [this, name = std::move(name)] {
      std::unique_lock lock(mutex_);
      begun_.push_back(name);
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_; });
      ++ended_;
      changed_.notify_all();
    };
  }
  void wait_begun(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return begun_.size() >= count; }));
  }
  void let_go(std::size_t ended) {
    std::unique_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return ended_ >= ended; }));
  }
  std::vector<std::string> begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> begun_;
  std::size_t ended_ = 0;
  bool open_ = false;
};

TEST(WorkerPool, OneShareHasAFourthOfTheThreadsAndOthersGoOn) {
  Bench bench;
  WorkerPool pool(8);
  const auto hanging = pool.make_share(), other = pool.make_share();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.submit(hanging, Lane::quick, bench.held("hanging")));
  EXPECT_TRUE(pool.submit(other, Lane::quick, bench.held("other")));
  bench.wait_begun(3);
  const auto begun = bench.begun();
  EXPECT_EQ(std::ranges::count(begun, "hanging"), 2);
  EXPECT_EQ(std::ranges::count(begun, "other"), 1);
  bench.let_go(6);
}

TEST(WorkerPool, AnIdleThreadIsNoReasonToLeaveTheSecondOfTwoWaiting) {
  // The thread that the first work left behind is idle, and still counts as that when the third is submitted.
  for (int round = 0; round < 50; ++round) {
    Bench bench;
    WorkerPool pool(8);
    const auto share = pool.make_share();
    std::atomic<bool> warm = false;
    EXPECT_TRUE(pool.submit(share, Lane::quick, [&] { warm = true; }));
    while (!warm) std::this_thread::yield();
    EXPECT_TRUE(pool.submit(share, Lane::quick, bench.held("first")));
    EXPECT_TRUE(pool.submit(share, Lane::quick, bench.held("second")));
    bench.wait_begun(2);
    bench.let_go(2);
  }
}

TEST(WorkerPool, LongWorkLeavesThreadsToShortWork) {
  Bench bench;
  WorkerPool pool(8);
  const auto share = pool.make_share();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pool.submit(share, Lane::slow, bench.held("slow")));
  bench.wait_begun(1);
  EXPECT_TRUE(pool.submit(share, Lane::quick, bench.held("quick")));
  bench.wait_begun(2);
  EXPECT_EQ(bench.begun(), (std::vector<std::string>{"slow", "quick"}));
  bench.let_go(4);
}

TEST(WorkerPool, WithOneThreadWorkIsDoneInOrder) {
  Bench bench;
  WorkerPool pool(1);
  const auto share = pool.make_share();
  for (const char* name : {"1", "2", "3"}) pool.submit(share, Lane::quick, bench.held(name));
  bench.let_go(3);
  EXPECT_EQ(bench.begun(), (std::vector<std::string>{"1", "2", "3"}));
}

TEST(WorkerPool, WhatIsDroppedOrDoesNotFlowIsNotBegun) {
  Bench bench;
  WorkerPool pool(4);
  const auto dropped = pool.make_share(), held = pool.make_share();
  pool.submit(dropped, Lane::quick, bench.held("first"));
  bench.wait_begun(1);
  pool.submit(dropped, Lane::quick, bench.held("dropped"));
  pool.drop(dropped);
  pool.set_flowing(held, false);
  pool.submit(held, Lane::quick, bench.held("held"));
  bench.let_go(1);
  EXPECT_EQ(bench.begun(), (std::vector<std::string>{"first"}));
  pool.set_flowing(held, true);
  bench.let_go(2);
  EXPECT_EQ(bench.begun(), (std::vector<std::string>{"first", "held"}));
}

TEST(WorkerPool, ItsEndDoesNotWaitForWhatHangs) {
  auto bench = std::make_shared<Bench>();
  {
    WorkerPool pool(1);
    pool.submit(pool.make_share(), Lane::quick, [bench, work = bench->held("hangs")]() mutable { work(); });
    bench->wait_begun(1);
  }
  bench->let_go(1);
}

}  // namespace
}  // namespace outpost::local
