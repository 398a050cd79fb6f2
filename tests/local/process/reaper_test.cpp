#include "local/process/reaper.h"

#include <gtest/gtest.h>

#include <csignal>

#include "local/process/process_fixture.h"
#include "os/run_program.h"

namespace outpost::local::testing {
namespace {

class ReaperTest : public ::testing::Test {
 protected:
  os::SpawnedChild start(const std::string& text) {
    std::optional<os::SpawnOutcome> outcome;
    const bool queued = spawn_thread_.submit(os::testing::shell(text), [&](os::SpawnOutcome given) {
      // The outcome is handed over on the loop, as a host does it.
      loop_.post([&outcome, given = std::move(given)]() mutable { outcome = std::move(given); });
    });
    EXPECT_TRUE(queued);
    EXPECT_TRUE(run_until(loop_, [&] { return outcome.has_value(); }));
    EXPECT_TRUE(*outcome);
    return *std::move(*outcome);
  }

  Loop loop_;
  os::SpawnThread spawn_thread_;
  Reaper reaper_{loop_, spawn_thread_};
};

TEST_F(ReaperTest, CollectsAChildWhenItEnds) {
  os::SpawnedChild child = start("exec sleep 1000");
  const int pid = child.pid;
  reaper_.adopt(std::move(child));
  run_ready(loop_);
  EXPECT_EQ(reaper_.waiting(), 1u);
  ::kill(pid, SIGKILL);
  EXPECT_TRUE(run_until(loop_, [&] { return reaper_.waiting() == 0; }));
  EXPECT_TRUE(no_children());
}

TEST_F(ReaperTest, TakesOneThatHasEndedAtOnce) {
  os::SpawnedChild child = start("exit 0");
  ASSERT_TRUE(os::testing::wait_readable(child.pidfd.get()));
  reaper_.adopt(std::move(child));
  EXPECT_EQ(reaper_.waiting(), 0u);
  EXPECT_TRUE(no_children());
}

TEST_F(ReaperTest, CollectsManyInAnyOrder) {
  std::vector<int> pids;
  for (int i = 0; i < 10; ++i) {
    os::SpawnedChild child = start("exec sleep 1000");
    pids.push_back(child.pid);
    reaper_.adopt(std::move(child));
  }
  EXPECT_EQ(reaper_.waiting(), 10u);
  std::swap(pids[0], pids[7]);
  for (const int pid : pids) ::kill(pid, SIGKILL);
  EXPECT_TRUE(run_until(loop_, [&] { return reaper_.waiting() == 0; }));
  EXPECT_TRUE(no_children());
}

}  // namespace
}  // namespace outpost::local::testing
