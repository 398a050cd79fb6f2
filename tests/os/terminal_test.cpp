#include "os/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include "os/io.h"
#include "os/run_program.h"

namespace outpost::os {
namespace {

using testing::read_line;

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() : terminal_(*open_terminal({.rows = 50, .cols = 132})) {}
  /// Runs a shell on the terminal.
  void start(const std::string& script) {
    SpawnRequest request = testing::request_for({"/bin/bash", "-c", script});
    request.stdin_fd = std::move(terminal_.slave);
    request.controlling_terminal = true;
    SpawnOutcome outcome = spawn(request);
    ASSERT_TRUE(outcome);
    child_ = *std::move(outcome);
  }
  /// All output up to `end`.
  std::string read_until(std::string_view end) {
    std::string text;
    while (!text.ends_with(end) && testing::wait_readable(terminal_.master.get())) {
      std::byte next[1];
      const IoCount count = read_some(terminal_.master.get(), next);
      if (count.status == IoCount::would_block) continue;
      if (count.status != IoCount::ok) break;
      text += static_cast<char>(next[0]);
    }
    return text;
  }

  Terminal terminal_;
  SpawnedChild child_;
};

TEST_F(TerminalTest, IsTheControllingTerminalOfItsProgramWithTheSizeGiven) {
  start("stty size; test -t 0 && test -t 1 && test -t 2 && echo three; ps -o tpgid= -p $$ | tr -d ' '; echo $$");
  EXPECT_EQ(read_until("132\r\n"), "50 132\r\n");
  EXPECT_EQ(read_until("\n"), "three\r\n");
  const std::string foreground = read_until("\n");
  EXPECT_EQ(read_until("\n"), foreground);
}

TEST_F(TerminalTest, ResizeReachesTheProgram) {
  start("trap 'stty size; exit' WINCH; echo ready; while :; do read -t 0.1 x; done");
  EXPECT_EQ(read_until("ready\r\n"), "ready\r\n");
  EXPECT_TRUE(resize_terminal(terminal_.master.get(), {.rows = 7, .cols = 9}));
  EXPECT_EQ(read_until("\n"), "7 9\r\n");
}

TEST_F(TerminalTest, EndsWithTheLastHolderOfTheOtherEnd) {
  start("printf bye");
  EXPECT_EQ(read_until("until the end"), "bye");
  std::byte next[1];
  EXPECT_EQ(read_some(terminal_.master.get(), next).status, IoCount::end);
  EXPECT_FALSE(signal_foreground(terminal_.master.get(), SIGTERM));
}

TEST_F(TerminalTest, SignalsGoToTheForegroundGroup) {
  start("set -m; bash -c 'trap \"echo caught; exit\" TERM; echo ready; while :; do read -t 0.1 x; done'; echo over");
  EXPECT_EQ(read_until("ready\r\n"), "ready\r\n");
  EXPECT_TRUE(signal_foreground(terminal_.master.get(), SIGTERM));
  EXPECT_EQ(read_until("over\r\n"), "caught\r\nover\r\n");
}

TEST(Terminal, BothEndsCloseOnExecAndTheMasterNeverBlocks) {
  const Terminal terminal = *open_terminal({});
  EXPECT_EQ(::fcntl(terminal.master.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(::fcntl(terminal.slave.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  std::byte next[1];
  EXPECT_EQ(read_some(terminal.master.get(), next).status, IoCount::would_block);
  winsize size{};
  ASSERT_EQ(::ioctl(terminal.slave.get(), TIOCGWINSZ, &size), 0);
  EXPECT_EQ(size.ws_row, 24);
  EXPECT_EQ(size.ws_col, 80);
}

TEST(Terminal, AnotherDescriptorHasNoSizeAndNoGroup) {
  EXPECT_FALSE(resize_terminal(-1, {}));
  EXPECT_FALSE(signal_foreground(-1, SIGTERM));
}

}  // namespace
}  // namespace outpost::os
