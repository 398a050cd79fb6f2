#include "local/process/local_process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "local/process/process_fixture.h"

namespace outpost::local::testing {
namespace {

using capability::OutputStream;

class LocalProcessTest : public HostTest {
 protected:
  /// Waits for a line with a pid on stdout.
  int pid_from(Follower& follower) {
    EXPECT_TRUE(run_until(loop_, [&] { return follower.output().ends_with('\n'); }));
    return std::atoi(follower.output().c_str());
  }
};

TEST_F(LocalProcessTest, TellsOutputThenExitThenClose) {
  const auto done = run(script("printf out; printf err >&2; exit 3"));
  ASSERT_TRUE(done);
  done->expect_complete_sequence();
  EXPECT_EQ(done->output(), "out");
  EXPECT_EQ(done->output(OutputStream::stderr), "err");
  EXPECT_EQ(done->exit_code(), 3);
  // Nobody else holds the pipes, and what the leader wrote lies in them when it ends.
  ASSERT_GE(done->events().size(), 4u);
  EXPECT_EQ(done->events()[done->events().size() - 2].kind, Kind::exited);
}

TEST_F(LocalProcessTest, DeathBySignalIsOneHundredTwentyEightAndTheSignal) {
  EXPECT_EQ(run(script("kill -TERM $$"))->exit_code(), 128 + SIGTERM);
  EXPECT_EQ(run(script("kill -KILL $$"))->exit_code(), 128 + SIGKILL);
}

TEST_F(LocalProcessTest, OutputOfAGrandchildFollowsTheExitAndTheCloseWaitsForIt) {
  const auto follower = start(script("(read line < '" + gate() + "'; echo late) & echo early"));
  ASSERT_TRUE(run_until(loop_, [&] { return follower->has(Kind::exited); }));
  run_ready(loop_);
  EXPECT_FALSE(follower->closed());
  EXPECT_EQ(follower->output(), "early\n");
  EXPECT_TRUE(follower->process().state().exited());
  release();
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(follower->output(), "early\nlate\n");
  follower->expect_complete_sequence();
}

TEST_F(LocalProcessTest, TerminateKillsTheGroupAndClosesThoughAnotherGroupHoldsThePipe) {
  const auto follower = start(script("setsid sh -c 'echo $$; exec sleep 1000' & wait"));
  const int far_pid = pid_from(*follower);
  EXPECT_TRUE(follower->process().terminate());
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(follower->exit_code(), 137);
  follower->expect_complete_sequence();
  EXPECT_FALSE(follower->process().terminate()) << "its leader is dead";
  EXPECT_TRUE(run_until(loop_, [&] { return is_dead(far_pid); })) << "it is ended, too";
}

TEST_F(LocalProcessTest, TerminatedWhileHeldBackItStillCloses) {
  const auto follower = start(script("setsid sh -c 'echo $$; exec sleep 1000' & wait"));
  const int far_pid = pid_from(*follower);
  follower->process().set_flowing(false);
  EXPECT_TRUE(follower->process().terminate());
  ASSERT_TRUE(run_until(loop_, [&] { return follower->has(Kind::exited); }));
  run_ready(loop_);
  EXPECT_FALSE(follower->closed());
  follower->process().set_flowing(true);
  EXPECT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_TRUE(run_until(loop_, [&] { return is_dead(far_pid); })) << "it is ended, too";
}

TEST_F(LocalProcessTest, TerminateAfterTheExitDoesNothingToThoseLeftBehind) {
  const auto follower = start(script("(read line < '" + gate() + "'; echo alive) & exit 0"));
  ASSERT_TRUE(run_until(loop_, [&] { return follower->has(Kind::exited); }));
  EXPECT_FALSE(follower->process().terminate());
  release();
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(follower->output(), "alive\n");
}

TEST_F(LocalProcessTest, InterruptReachesTheGroup) {
  const auto follower = start(script("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 1; done"));
  ASSERT_TRUE(run_until(loop_, [&] { return follower->output() == "ready\n"; }));
  follower->process().signal(wire::AnySignal::int_, wire::SignalTarget::group);
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(follower->output(), "ready\ncaught\n");
  EXPECT_EQ(follower->exit_code(), 5);
  follower->process().signal(wire::AnySignal::int_, wire::SignalTarget::group);  // nobody is there
}

TEST_F(LocalProcessTest, HeldBackItTakesNothingAndLosesNothing) {
  auto params = script("for i in 1 2 3; do seq 1 40000; done");
  std::string expected;
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 1; i <= 40'000; ++i) expected += std::to_string(i) + "\n";
  }
  const auto follower = start(std::move(params));
  ASSERT_TRUE(follower);
  // Stops the flow at every piece of output, like a client that reads slowly.
  bool held = false;
  std::size_t bytes_when_held = 0, holds = 0;
  follower->on_events = [&] {
    if (held || follower->closed()) return;
    held = true;
    ++holds;
    bytes_when_held = follower->output_bytes();
    follower->process().set_flowing(false);
  };
  ASSERT_TRUE(run_until(loop_, [&] {
    run_ready(loop_);
    if (held) {
      EXPECT_EQ(follower->output_bytes(), bytes_when_held);
      held = false;
      follower->process().set_flowing(true);
    }
    return follower->closed();
  }));
  EXPECT_GT(holds, 2u);
  EXPECT_EQ(follower->output(), expected);
  follower->expect_complete_sequence();
}

TEST_F(LocalProcessTest, AFloodIsBoundedInMemoryAndItsEndIsKept) {
  const auto started = try_start(command({"/usr/bin/seq", "1", "1000000"}));
  ASSERT_TRUE(started);
  capability::Process& process = *started->process;
  ASSERT_TRUE(run_until(loop_, [&] { return process.state().closed; }));
  std::vector<capability::OutputView> chunks;
  process.read(0, std::nullopt, chunks);
  std::string text;
  for (const auto& chunk : chunks) {
    EXPECT_LE(chunk.bytes.size(), 65536u);
    text += as_text(chunk.bytes);
  }
  EXPECT_LE(text.size(), 1048576u);
  EXPECT_GT(text.size(), 1048576u - 2 * 65536u);
  EXPECT_TRUE(text.ends_with("\n999999\n1000000\n"));
  EXPECT_GT(chunks.front().seq, 1u);
}

TEST_F(LocalProcessTest, DestroyingItEndsItsGroupAndLeavesNoZombie) {
  const auto follower = start(script("sleep 1000 & echo $!; wait"));
  const int child = pid_from(*follower);
  EXPECT_FALSE(is_dead(child));
  follower->destroy();
  EXPECT_TRUE(run_until(loop_, [&] {
    spawn_thread_.reap_orphans();  // the shell's child falls to us
    return is_dead(child) && no_children();
  }));
}

TEST_F(LocalProcessTest, DescriptorsAreGivenBack) {
  run(script("exit 0"));  // what is made once is there now
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    auto params = script("cat >/dev/null; echo done");
    params.pipe_stdin = i % 2 == 0;
    const auto follower = start(std::move(params));
    if (i % 4 < 2) {
      follower->process().close_stdin();
      ASSERT_TRUE(run_until(loop_, [&] { return follower->closed() || i % 2 != 0; }));
    }
  }
  EXPECT_TRUE(run_until(loop_, [&] { return open_descriptors() == before; }));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(LocalProcessTest, DescriptorsOfADoneProcessAreGivenBackWhileItIsKept) {
  run(script("exit 0"));
  const std::size_t before = open_descriptors();
  auto params = script("echo kept");
  params.pipe_stdin = true;
  const auto follower = run(std::move(params));
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(follower->output(), "kept\n");
}

}  // namespace
}  // namespace outpost::local::testing
