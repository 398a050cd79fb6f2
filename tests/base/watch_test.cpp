#include "base/watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/run_until.h"

namespace outpost {
namespace {

using testing::run_ready;
using testing::run_until;

/// Two connected sockets.
class WatchTest : public ::testing::Test {
 protected:
  WatchTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~WatchTest() override {
    for (const int fd : ends_) {
      if (fd >= 0) ::close(fd);
    }
  }
  void send_byte(int end) { EXPECT_EQ(::write(ends_[static_cast<std::size_t>(end)], "x", 1), 1); }

  Loop loop_;
  std::array<int, 2> ends_{};
};

TEST_F(WatchTest, ReportsOncePerWait) {
  int calls = 0;
  Watch watch(loop_, ends_[0], [&] { ++calls; });
  send_byte(1);
  run_ready(loop_);
  EXPECT_EQ(calls, 0) << "nothing was armed";
  watch.wait_readable();
  ASSERT_TRUE(run_until(loop_, [&] { return calls == 1; }));
  send_byte(1);
  run_ready(loop_);
  EXPECT_EQ(calls, 1);
  watch.wait_readable();
  EXPECT_TRUE(run_until(loop_, [&] { return calls == 2; }));
}

TEST_F(WatchTest, WaitingTwiceIsOneWait) {
  int calls = 0;
  Watch watch(loop_, ends_[0], [&] { ++calls; });
  watch.wait_readable();
  watch.wait_readable();
  send_byte(1);
  ASSERT_TRUE(run_until(loop_, [&] { return calls > 0; }));
  run_ready(loop_);
  EXPECT_EQ(calls, 1);
}

TEST_F(WatchTest, TellsReadableAndWritableApart) {
  int readable = 0, writable = 0;
  Watch watch(loop_, ends_[0], [&] { ++readable; }, [&] { ++writable; });
  watch.wait_readable();
  watch.wait_writable();
  ASSERT_TRUE(run_until(loop_, [&] { return writable == 1; }));
  EXPECT_EQ(readable, 0);
  send_byte(1);
  ASSERT_TRUE(run_until(loop_, [&] { return readable == 1; }));
  EXPECT_EQ(writable, 1);
}

TEST_F(WatchTest, ReportsTheEndAsReadable) {
  int calls = 0;
  Watch watch(loop_, ends_[0], [&] { ++calls; });
  watch.wait_readable();
  ::shutdown(ends_[1], SHUT_WR);
  EXPECT_TRUE(run_until(loop_, [&] { return calls == 1; }));
}

TEST_F(WatchTest, DestroyedWithAQueuedCallCallsNothing) {
  std::array<int, 2> other{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, other.data()), 0);
  // Both become ready in one turn; whoever is told first destroys the other.
  std::unique_ptr<Watch> first, second;
  int calls = 0;
  first = std::make_unique<Watch>(loop_, ends_[0], [&] {
    ++calls;
    second.reset();
  });
  second = std::make_unique<Watch>(loop_, other[0], [&] {
    ++calls;
    first.reset();
  });
  first->wait_readable();
  second->wait_readable();
  send_byte(1);
  EXPECT_EQ(::write(other[1], "x", 1), 1);
  ASSERT_TRUE(run_until(loop_, [&] { return calls > 0; }));
  run_ready(loop_);
  EXPECT_EQ(calls, 1);
  first.reset();
  second.reset();
  for (const int fd : other) ::close(fd);
}

TEST_F(WatchTest, MayBeDestroyedByItsOwnCallback) {
  auto held = std::make_shared<int>(7);
  int seen = 0;
  std::unique_ptr<Watch> watch = std::make_unique<Watch>(loop_, ends_[0], [&, held] {
    watch.reset();
    seen = *held;  // the callback itself lives until it returns
  });
  watch->wait_readable();
  send_byte(1);
  ASSERT_TRUE(run_until(loop_, [&] { return seen != 0; }));
  EXPECT_EQ(seen, 7);
}

TEST_F(WatchTest, AnEndThatNobodyWaitsForWakesTheLoopOnceAtMost) {
  int calls = 0;
  Watch watch(loop_, ends_[0], [&] { ++calls; });
  ::close(std::exchange(ends_[1], -1));
  run_ready(loop_);  // returns though the descriptor stays ready for ever
  EXPECT_EQ(loop_.run_some(std::chrono::milliseconds(0)), 0u);
  EXPECT_EQ(calls, 0);
  watch.wait_readable();
  ASSERT_TRUE(run_until(loop_, [&] { return calls == 1; })) << "and is told to whoever waits later";
  run_ready(loop_);
  EXPECT_EQ(loop_.run_some(std::chrono::milliseconds(0)), 0u);
}

TEST_F(WatchTest, BytesThatNobodyWaitsForWakeTheLoopOnceAtMost) {
  int readable = 0, writable = 0;
  Watch watch(loop_, ends_[0], [&] { ++readable; }, [&] { ++writable; });
  send_byte(1);
  watch.wait_writable();
  ASSERT_TRUE(run_until(loop_, [&] { return writable == 1; }));
  run_ready(loop_);
  EXPECT_EQ(loop_.run_some(std::chrono::milliseconds(0)), 0u);
  EXPECT_EQ(readable, 0);
  watch.wait_readable();
  EXPECT_TRUE(run_until(loop_, [&] { return readable == 1; }));
}

TEST_F(WatchTest, TellsMoreThanOneTurnHolds) {
  constexpr std::size_t count = limits::events_per_turn_max + 1;
  std::vector<std::array<int, 2>> pipes(count);
  std::vector<std::unique_ptr<Watch>> watches;
  std::size_t calls = 0;
  for (auto& pipe : pipes) {
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK), 0);
    EXPECT_EQ(::write(pipe[1], "x", 1), 1);
    watches.push_back(std::make_unique<Watch>(loop_, pipe[0], [&] { ++calls; }));
    watches.back()->wait_readable();
  }
  EXPECT_TRUE(run_until(loop_, [&] { return calls == count; }));
  watches.clear();
  for (const auto& pipe : pipes) {
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

TEST_F(WatchTest, LeavesTheDescriptorOpenAndUsable) {
  {
    Watch watch(loop_, ends_[0], [] {});
  }
  EXPECT_NE(::fcntl(ends_[0], F_GETFD), -1);
  int calls = 0;
  Watch again(loop_, ends_[0], [&] { ++calls; });
  again.wait_readable();
  send_byte(1);
  EXPECT_TRUE(run_until(loop_, [&] { return calls == 1; }));
}

TEST_F(WatchTest, ADescriptorThatCannotBeWatchedIsAnError) {
  const auto none = Watch::create(loop_, -1, [] {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "Bad file descriptor (os error 9)");

  int calls = 0;
  {
    const Watch first(loop_, ends_[0], [] {});
    EXPECT_FALSE(Watch::create(loop_, ends_[0], [] {})) << "the system takes a descriptor once";
  }
  const auto watch = Watch::create(loop_, ends_[0], [&] { ++calls; });
  ASSERT_TRUE(watch) << "the one that failed left nothing behind";
  (*watch)->wait_readable();
  send_byte(1);
  EXPECT_TRUE(run_until(loop_, [&] { return calls == 1; }));
}

}  // namespace
}  // namespace outpost
