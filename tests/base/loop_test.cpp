#include "base/loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "base/run_until.h"

namespace outpost {
namespace {

using namespace std::chrono_literals;
using testing::run_ready;
using testing::run_until;

TEST(Loop, RunsPostedTasksInOrderAndNotFromWithinPost) {
  Loop loop;
  std::vector<int> order;
  loop.post([&] {
    loop.post([&] { order.push_back(3); });
    order.push_back(1);
  });
  loop.post([&] { order.push_back(2); });
  EXPECT_TRUE(order.empty());
  run_ready(loop);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Loop, RunsWhatWasPostedBeforeTheStop) {
  Loop loop;
  std::vector<int> order;
  loop.post([&] {
    loop.post([&] { order.push_back(2); });
    loop.stop();
    order.push_back(1);
  });
  loop.run();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Loop, DestroysLaterWhatMayStillRun) {
  Loop loop;
  struct Member {
    explicit Member(std::vector<int>& the_order) : order(the_order) {}
    ~Member() { order.push_back(2); }
    std::vector<int>& order;
  };
  std::vector<int> order;
  loop.destroy_later(std::make_unique<Member>(order));
  auto shared = std::make_shared<Member>(order);
  loop.destroy_later(std::move(shared));
  order.push_back(1);
  run_ready(loop);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 2}));
}

TEST(Loop, EndsThoughTheLastTasksPostForEver) {
  Loop loop;
  std::uint64_t runs = 0;
  std::function<void()> again = [&] {
    ++runs;
    loop.post([&] { again(); });
  };
  again();
  loop.post([&] { loop.stop(); });
  loop.run();
  EXPECT_GT(runs, 1u);
}

TEST(Loop, TakesTasksFromOtherThreads) {
  Loop loop;
  int count = 0;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) loop.post([&] { ++count; });
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  EXPECT_EQ(count, 1000);
}

TEST(Loop, StopsFromAnotherThreadWhileItWaits) {
  Loop loop;
  std::thread other([&] { loop.stop(); });
  loop.run();
  other.join();
  loop.stop();  // one that comes before the run ends the run too
  loop.run();
}

TEST(Loop, ADroppedTaskMayUseTheLoopToEnd) {
  std::vector<int> order;
  {
    Loop loop;
    struct Owner {
      ~Owner() {
        loop->post([] {});
        order->push_back(1);
      }
      Loop* loop;
      std::vector<int>* order;
    };
    loop.post([owner = std::make_shared<Owner>(&loop, &order)] {});
  }
  EXPECT_EQ(order, std::vector<int>{1});
}

/// Deadlines that the loop waits for in different ways, on both sides of `limits::fine_wait_max`.
TEST(Timer, NearAndFarOnesComeInTheirOrder) {
  Loop loop;
  std::vector<std::unique_ptr<Timer>> timers;
  std::vector<int> order;
  int place = 0;
  for (const auto delay : {90ms, 1ms, 60ms, 30ms, 15ms}) {
    timers.push_back(std::make_unique<Timer>(loop));
    timers.back()->start(delay, [&order, place] { order.push_back(place); });
    if (place == 2) timers[0]->start(200ms, [&order] { order.push_back(0); });  // later than the loop was set to
    ++place;
  }
  Timer never(loop);
  never.start(10min, [&] { order.push_back(-1); });
  ASSERT_TRUE(run_until(loop, [&] { return order.size() == 5; }));
  EXPECT_EQ(order, (std::vector<int>{1, 4, 3, 2, 0}));
  EXPECT_TRUE(never.running());
}

TEST(Timer, CallsOnceAndIsNotRunningAfterwards) {
  Loop loop;
  Timer timer(loop);
  int calls = 0;
  EXPECT_FALSE(timer.running());
  timer.start(1ms, [&] { ++calls; });
  EXPECT_TRUE(timer.running());
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(run_until(loop, [&] { return calls > 0; }));
  EXPECT_FALSE(timer.running());
  run_ready(loop);
  EXPECT_EQ(calls, 1);
}

TEST(Timer, RestartForgetsTheCallThatIsQueuedAlready) {
  Loop loop;
  Timer first(loop), second(loop);
  int old_calls = 0, new_calls = 0;
  // Both are due at once, so the handler of the second is queued when the first one runs.
  const auto due = Loop::now() - 1ms;
  first.start_at(due, [&] { second.start(0ms, [&] { ++new_calls; }); });
  second.start_at(due + 1us, [&] { ++old_calls; });
  ASSERT_TRUE(run_until(loop, [&] { return new_calls > 0; }));
  run_ready(loop);
  EXPECT_EQ(old_calls, 0);
  EXPECT_EQ(new_calls, 1);
}

TEST(Timer, DestroyedWithAQueuedCallCallsNothing) {
  Loop loop;
  Timer first(loop);
  auto second = std::make_unique<Timer>(loop);
  bool first_called = false, second_called = false;
  const auto due = Loop::now() - 1ms;
  first.start_at(due, [&] {
    first_called = true;
    second.reset();
  });
  second->start_at(due + 1us, [&] { second_called = true; });
  ASSERT_TRUE(run_until(loop, [&] { return first_called; }));
  run_ready(loop);
  EXPECT_FALSE(second_called);
}

TEST(Timer, CancelForgetsTheCallAndItsTask) {
  Loop loop;
  Timer timer(loop);
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = held;
  timer.start(0ms, [held] { ++*held; });
  held.reset();
  timer.cancel();
  EXPECT_FALSE(timer.running());
  EXPECT_TRUE(watched.expired());
  timer.cancel();  // again does nothing
  run_ready(loop);
}

TEST(Timer, MayBeDestroyedByItsOwnTask) {
  Loop loop;
  auto timer = std::make_unique<Timer>(loop);
  bool called = false;
  timer->start(0ms, [&] {
    timer.reset();
    called = true;
  });
  EXPECT_TRUE(run_until(loop, [&] { return called; }));
}

TEST(Timer, MayBeRestartedByItsOwnTask) {
  Loop loop;
  Timer timer(loop);
  int calls = 0;
  std::function<void()> tick = [&] {
    if (++calls < 3) timer.start(0ms, [&] { tick(); });
  };
  timer.start(0ms, [&] { tick(); });
  ASSERT_TRUE(run_until(loop, [&] { return calls == 3; }));
  EXPECT_FALSE(timer.running());
}

TEST(Timer, DelayBeyondTheClockIsAVeryLongOne) {
  Loop loop;
  Timer timer(loop);
  bool called = false;
  timer.start(std::chrono::milliseconds::max(), [&] { called = true; });
  run_ready(loop);
  EXPECT_FALSE(called);
  EXPECT_TRUE(timer.running());
  EXPECT_GT(Timer::deadline_after(std::chrono::milliseconds::max()), Loop::now() + std::chrono::hours(24 * 365));
}

}  // namespace
}  // namespace outpost
