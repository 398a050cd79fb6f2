#include "os/guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "run_program.h"

namespace outpost::os {
namespace {

using testing::read_all;
using testing::read_line;
using testing::request_for;
using testing::shell;
using testing::wait_for;

// Everything that a guarded server starts holds the pipe behind its stdout. So when that is at its end, all are gone.

/// Three ways out of a process tree, each of which says so when it is taken.
constexpr const char* escaping_script =
    "setsid sh -c 'echo up; sleep 1000' & "
    "(setsid sh -c '(echo up; sleep 1000) & sleep 1000' &) ; "
    "(trap '' HUP TERM INT; echo up; sleep 1000) & "
    "sleep 1000";
constexpr int escaping_lines = 3;

constexpr const char* forking_script = "i=0; while :; do setsid sleep 1000 & i=$((i+1)); [ $i = 50 ] && echo up; done";

struct Guarded {
  testing::Running running;
  pid_t server = 0;
  pid_t guard = 0;
};

Guarded serve(const char* script = nullptr, int lines = 0) {
  auto argv = std::vector<std::string>{OS_PROBE, "serve"};
  if (script != nullptr) argv.emplace_back(script);
  Guarded guarded{testing::start(request_for(std::move(argv)))};
  const std::string line = read_line(guarded.running.output.get());
  EXPECT_EQ(std::sscanf(line.c_str(), "server %d guard %d", &guarded.server, &guarded.guard), 2) << line;
  for (int i = 0; i < lines; ++i) EXPECT_EQ(read_line(guarded.running.output.get()), "up");
  return guarded;
}

TEST(Guard, PassesOnTheExitStatusOfTheServer) {
  for (const char* code : {"0", "3", "255"}) {
    EXPECT_EQ(testing::run(request_for({OS_PROBE, "exit", code})).status.wire_code(), std::atoi(code));
  }
}

TEST(Guard, DeathOfTheServerBySignalIs128AndTheSignal) {
  const auto finished = testing::run(request_for({OS_PROBE, "die", std::to_string(SIGKILL)}));
  EXPECT_EQ(finished.status.signal, 0);
  EXPECT_EQ(finished.status.code, 128 + SIGKILL);
}

TEST(Guard, IsTheProcessThatWasLaunched) {
  Guarded guarded = serve();
  EXPECT_EQ(guarded.guard, guarded.running.child.pid);
  EXPECT_NE(guarded.server, guarded.guard);
  EXPECT_EQ(::getsid(guarded.server), guarded.server);
  signal_process(guarded.running.child.pidfd.get(), SIGTERM);
  EXPECT_EQ(wait_for(guarded.running.child).code, 7);
}

class GuardSignal : public ::testing::TestWithParam<int> {};

TEST_P(GuardSignal, IsPassedOnToTheServerAndEverythingEnds) {
  Guarded guarded = serve(escaping_script, escaping_lines);
  signal_process(guarded.running.child.pidfd.get(), GetParam());
  EXPECT_EQ(read_all(guarded.running.output.get()), "signal " + std::to_string(GetParam()) + "\n");
  EXPECT_EQ(wait_for(guarded.running.child).wire_code(), 7);
}

INSTANTIATE_TEST_SUITE_P(Signals, GuardSignal, ::testing::Values(SIGTERM, SIGINT, SIGHUP));

TEST(Guard, EndsWhatAKilledServerLeaves) {
  Guarded guarded = serve(escaping_script, escaping_lines);
  ::kill(guarded.server, SIGKILL);
  EXPECT_EQ(read_all(guarded.running.output.get()), "");
  EXPECT_EQ(wait_for(guarded.running.child).wire_code(), 128 + SIGKILL);
}

TEST(Guard, EndsAKilledServersForkingLoop) {
  Guarded guarded = serve(forking_script, 1);
  ::kill(guarded.server, SIGKILL);
  EXPECT_EQ(read_all(guarded.running.output.get()), "");
  EXPECT_EQ(wait_for(guarded.running.child).wire_code(), 128 + SIGKILL);
}

TEST(Guard, ServerLearnsOfTheGuardsDeath) {
  Guarded guarded = serve(escaping_script, escaping_lines);
  signal_process(guarded.running.child.pidfd.get(), SIGKILL);
  EXPECT_EQ(read_all(guarded.running.output.get()), "guard gone\n");
  EXPECT_EQ(wait_for(guarded.running.child).signal, SIGKILL);
}

TEST(Guard, KillOfTheLaunchersGroupLeavesTheServerToClearUp) {
  Guarded guarded = serve(forking_script, 1);
  ASSERT_TRUE(kill_group(guarded.running.child.pid, SIGKILL));
  EXPECT_EQ(read_all(guarded.running.output.get()), "guard gone\n");
  EXPECT_EQ(wait_for(guarded.running.child).signal, SIGKILL);
}

TEST(Guard, LauncherThatIgnoresChildrenDoesNotHideTheExit) {
  EXPECT_EQ(testing::run(shell("trap '' CHLD; exec " OS_PROBE " exit 3")).status.wire_code(), 3);
}

TEST(Guard, IgnoredHangUpStaysIgnored) {
  auto running = testing::start(shell("trap '' HUP; exec " OS_PROBE " serve"));
  EXPECT_TRUE(read_line(running.output.get()).starts_with("server "));
  signal_process(running.child.pidfd.get(), SIGHUP);
  signal_process(running.child.pidfd.get(), SIGTERM);
  EXPECT_EQ(read_all(running.output.get()), "signal 15\n");
  EXPECT_EQ(wait_for(running.child).wire_code(), 7);
}

TEST(Guard, SparesChildrenFromBeforeItself) {
  const auto finished = testing::run(shell("sleep 60 >/dev/null 2>&1 & echo $!; exec " OS_PROBE " exit 0"));
  EXPECT_EQ(finished.status.wire_code(), 0);
  pid_t sleeper = 0;
  ASSERT_EQ(std::sscanf(finished.output.c_str(), "%d", &sleeper), 1);
  EXPECT_EQ(::kill(sleeper, SIGKILL), 0);
}

TEST(Guard, WorksWithoutStandardStreams) {
  SpawnRequest request = shell("exec " OS_PROBE " exit 4 <&- >&- 2>&-");
  EXPECT_EQ(testing::run(std::move(request)).status.wire_code(), 4);
}

TEST(Guard, WorksAsTheFirstProcess) {
  if (testing::run(request_for({"unshare", "--pid", "--fork", "true"})).status.wire_code() != 0) {
    GTEST_SKIP() << "no right to make a pid namespace";
  }
  const std::string script = "(setsid sh -c 'sleep 1000' &); kill -TERM 1; sleep 1000";
  const auto finished =
      testing::run(request_for({"unshare", "--pid", "--fork", "--mount-proc", OS_PROBE, "serve", script}));
  EXPECT_TRUE(finished.output.ends_with(" guard 1\nsignal 15\n")) << finished.output;
  EXPECT_EQ(finished.status.wire_code(), 7);
}

}  // namespace
}  // namespace outpost::os
