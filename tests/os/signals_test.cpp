#include "os/signals.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "run_program.h"

namespace outpost::os {
namespace {

bool is_blocked(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return ::sigismember(&mask, signal) == 1;
}

TEST(Signals, ArriveOnTheDescriptorInsteadOfEndingTheProcess) {
  const auto fd = watch_signals({SIGTERM, SIGHUP});
  ASSERT_TRUE(fd);
  EXPECT_NE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_FALSE(next_signal(fd->get()));
  ::kill(::getpid(), SIGHUP);
  EXPECT_TRUE(testing::wait_readable(fd->get()));
  EXPECT_EQ(next_signal(fd->get()), SIGHUP);
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(next_signal(fd->get()), SIGTERM);
  EXPECT_FALSE(next_signal(fd->get()));
  EXPECT_FALSE(is_blocked(SIGINT));
}

TEST(Signals, BlockEndsWithItsScope) {
  {
    const AllSignalsBlocked outer;
    {
      const AllSignalsBlocked inner;
    }
    EXPECT_TRUE(is_blocked(SIGUSR2));
  }
  EXPECT_FALSE(is_blocked(SIGUSR2));
}

TEST(Signals, BrokenPipesAreErrors) {
  ignore_broken_pipes();
  Pipe pipe = std::move(*make_pipe(Blocking::no, Blocking::no));
  pipe.read.reset();
  EXPECT_EQ(write_some(pipe.write.get(), as_bytes("x")).error, EPIPE);
}

}  // namespace
}  // namespace outpost::os
