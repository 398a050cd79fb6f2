#include "os/spawn_thread.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <thread>

#include "base/limits/system.h"
#include "os/process_tree.h"
#include "run_program.h"

namespace outpost::os {
namespace {

using testing::request_for;
using testing::shell;

std::future<SpawnOutcome> submit(SpawnThread& thread, SpawnRequest request) {
  std::promise<SpawnOutcome> promise;
  auto future = promise.get_future();
  EXPECT_TRUE(thread.submit(std::move(request), [promise = std::move(promise)](SpawnOutcome outcome) mutable {
    promise.set_value(std::move(outcome));
  }));
  return future;
}

/// Until there is no child left; each turn waits for a death.
void reap_until_alone(SpawnThread& thread) {
  siginfo_t info{};
  while (::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0) thread.reap_orphans();
}

TEST(SpawnThread, StartsOnOneThreadOfItsOwn) {
  SpawnThread thread;
  std::vector<std::thread::id> ids(2);
  for (auto& id : ids) {
    std::promise<void> ready;
    ASSERT_TRUE(thread.submit(request_for({"/bin/true"}), [&](SpawnOutcome outcome) {
      id = std::this_thread::get_id();
      EXPECT_TRUE(outcome.has_value());
      ready.set_value();
    }));
    ready.get_future().wait();
  }
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_NE(ids[0], std::this_thread::get_id());
}

TEST(SpawnThread, GivesFailuresAndStatuses) {
  SpawnThread thread;
  EXPECT_EQ(submit(thread, request_for({"/none"})).get().error().error, ENOENT);
  const SpawnOutcome child = submit(thread, shell("exit 9")).get();
  ASSERT_TRUE(child);
  ASSERT_TRUE(testing::wait_readable(child->pidfd.get()));
  EXPECT_EQ(thread.exit_status(*child)->code, 9);
}

TEST(SpawnThread, ClosesTheDescriptorsBeforeItAnswers) {
  SpawnThread thread;
  Pipe pipe = std::move(*make_pipe(Blocking::yes, Blocking::yes));
  SpawnRequest request = request_for({"/none"});
  request.stdout_fd = std::move(pipe.write);
  EXPECT_FALSE(submit(thread, std::move(request)).get());
  ASSERT_TRUE(testing::wait_readable(pipe.read.get(), 0));
  EXPECT_EQ(testing::read_all(pipe.read.get()), "");
}

TEST(SpawnThread, QueueIsBoundedAndEveryTakenStartIsAnsweredOnce) {
  std::atomic<std::size_t> answers = 0;
  std::promise<void> first_runs;
  std::promise<void> release;
  {
    SpawnThread thread;
    ASSERT_TRUE(thread.submit(request_for({"/none"}), [&](SpawnOutcome) {
      first_runs.set_value();
      release.get_future().wait();
      ++answers;
    }));
    first_runs.get_future().wait();
    const auto count = [&](SpawnOutcome outcome) {
      EXPECT_TRUE(outcome.error().error == ENOENT || outcome.error().error == ECANCELED);
      ++answers;
    };
    for (std::size_t i = 0; i < limits::spawn_queue_max; ++i) ASSERT_TRUE(thread.submit(request_for({"/none"}), count));
    EXPECT_FALSE(thread.submit(request_for({"/none"}), count));
    release.set_value();
  }
  EXPECT_EQ(answers, limits::spawn_queue_max + 1);
}

TEST(SpawnThread, UnusedOneEndsAtOnce) {
  const SpawnThread thread;
}

TEST(SpawnThread, ChildrenDieWithTheThread) {
  Pipe pipe = std::move(*make_pipe(Blocking::yes, Blocking::yes));
  SpawnOutcome child;
  {
    SpawnThread thread;
    SpawnRequest request = request_for({"sleep", "1000"});
    request.stdout_fd = std::move(pipe.write);
    child = submit(thread, std::move(request)).get();
    ASSERT_TRUE(child);
  }
  EXPECT_EQ(testing::read_all(pipe.read.get()), "");
  EXPECT_EQ(testing::wait_for(*child).signal, SIGKILL);
}

TEST(SpawnThread, ReapsOrphansAndNeverTakesTheStatusOfAChild) {
  ASSERT_TRUE(become_subreaper());
  SpawnThread thread;
  Pipe input = std::move(*make_pipe(Blocking::yes, Blocking::yes));
  SpawnRequest request = shell("exec 4<&0; (read line <&4; exit 3) & (read line <&4; exit 4) & exit 5");
  request.stdin_fd = std::move(input.read);
  const SpawnOutcome leader = submit(thread, std::move(request)).get();
  ASSERT_TRUE(leader);
  ASSERT_TRUE(testing::wait_readable(leader->pidfd.get()));
  input.write.reset();
  thread.reap_orphans();
  EXPECT_EQ(thread.exit_status(*leader)->code, 5);
  reap_until_alone(thread);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(SpawnThread, ReapingBesideStartsLosesNoStatus) {
  ASSERT_TRUE(become_subreaper());
  SpawnThread thread;
  std::atomic<bool> stop = false;
  std::thread reaper([&] {
    while (!stop) thread.reap_orphans();
  });
  for (int i = 0; i < 200; ++i) {
    const SpawnOutcome child = submit(thread, shell("(true &); exit 6")).get();
    ASSERT_TRUE(child);
    ASSERT_TRUE(testing::wait_readable(child->pidfd.get()));
    ASSERT_EQ(thread.exit_status(*child)->code, 6);
  }
  stop = true;
  reaper.join();
  reap_until_alone(thread);
}

}  // namespace
}  // namespace outpost::os
