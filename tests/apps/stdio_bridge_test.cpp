#include "apps/outpost/stdio_bridge.h"

#include <gtest/gtest.h>

#include <thread>

#include "os/run_program.h"
#include "os/signals.h"
#include "support/temporary_folder.h"

namespace outpost::apps {
namespace {

using namespace std::chrono_literals;
using os::testing::read_all;
using os::testing::wait_readable;

std::string hear(int fd, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes && wait_readable(fd)) {
    std::byte buffer[4096];
    text += as_text({buffer, os::read_some(fd, buffer).bytes});
  }
  return text;
}

class StdioBridgeTest : public ::testing::Test {
 protected:
  StdioBridgeTest() { os::ignore_broken_pipes(); }
  /// The threads of a bridge keep these for as long as they like: they stay open for the life of the test program.
  void start() {
    bridge_ = std::move(*StdioBridge::start(input_.read.release(), output_.write.release()));
    socket_ = bridge_->take_socket();
  }
  void say(const os::FileDescriptor& to, const std::string& text) {
    ASSERT_EQ(os::write_some(to.get(), as_bytes(text)).bytes, text.size());
  }
  os::Pipe input_ = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
  os::Pipe output_ = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
  std::unique_ptr<StdioBridge> bridge_;
  os::FileDescriptor socket_;
};

TEST_F(StdioBridgeTest, CarriesBothWays) {
  start();
  say(input_.write, "in");
  EXPECT_EQ(hear(socket_.get(), 2), "in");
  say(socket_, "out");
  EXPECT_EQ(hear(output_.read.get(), 3), "out");
}

TEST_F(StdioBridgeTest, TheEndOfTheInputComesBehindItsBytes) {
  start();
  say(input_.write, "last");
  input_.write.reset();
  EXPECT_EQ(read_all(socket_.get()), "last");
  say(socket_, "still");
  EXPECT_EQ(hear(output_.read.get(), 5), "still");
}

TEST_F(StdioBridgeTest, InputThatKnowsNoWaitingIsCarriedToo) {
  ASSERT_TRUE(os::set_nonblocking(input_.read.get()));
  ASSERT_TRUE(os::set_nonblocking(output_.write.get()));
  start();
  say(input_.write, "in");
  EXPECT_EQ(hear(socket_.get(), 2), "in");
}

TEST_F(StdioBridgeTest, WaitsForWhatWasSent) {
  start();
  const std::string text(50'000, 'x');
  say(socket_, text);
  socket_.reset();
  bridge_->wait_written(60s);
  EXPECT_EQ(hear(output_.read.get(), text.size()), text);
}

TEST_F(StdioBridgeTest, WaitsNoLongerThanItShall) {
  start();
  const std::string much(1'000'000, 'x');
  (void)os::write_some(socket_.get(), as_bytes(much));
  bridge_->wait_written(1ms);
}

TEST_F(StdioBridgeTest, AnOutputThatNobodyReadsIsTheEnd) {
  start();
  output_.read.reset();
  say(socket_, "x");
  EXPECT_EQ(read_all(socket_.get()), "");
}

}  // namespace
}  // namespace outpost::apps
