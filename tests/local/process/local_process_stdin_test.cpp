#include <gtest/gtest.h>

#include "local/process/process_fixture.h"

namespace outpost::local::testing {
namespace {

using wire::WriteStatus;

class LocalProcessStdinTest : public HostTest {
 protected:
  std::unique_ptr<Follower> start_piped(const std::string& text) {
    wire::StartParams params = script(text);
    params.pipe_stdin = true;
    return start(std::move(params));
  }
  /// Queues bytes; the outcome goes into `outcomes_`.
  void write(Follower& follower, const std::string& id, std::string_view text) {
    follower.process().write({Bytes::copy_of(as_bytes(text)), id}, [this](Result<WriteStatus> outcome) {
      outcomes_.push_back(outcome ? (*outcome == WriteStatus::accepted ? "accepted" : "closed")
                                  : outcome.error().message);
    });
  }

  std::vector<std::string> outcomes_;
};

using Outcomes = std::vector<std::string>;

TEST_F(LocalProcessStdinTest, WhatIsWrittenComesToTheProgram) {
  const auto follower = start_piped("exec cat");
  write(*follower, "1", "hello ");
  ASSERT_TRUE(run_until(loop_, [&] { return follower->output() == "hello "; }));
  write(*follower, "2", "world");
  ASSERT_TRUE(run_until(loop_, [&] { return follower->output() == "hello world"; }));
  write(*follower, "2", "again");
  EXPECT_EQ(follower->process().close_stdin(), WriteStatus::accepted);
  EXPECT_EQ(follower->process().close_stdin(), WriteStatus::accepted) << "safe to repeat";
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(follower->output(), "hello world");
  EXPECT_EQ(follower->exit_code(), 0);
  EXPECT_EQ(outcomes_, (Outcomes{"accepted", "accepted", "accepted"}));
}

TEST_F(LocalProcessStdinTest, CloseComesBehindAllThatWasWritten) {
  const auto follower = start_piped("exec wc -c");
  const std::string chunk(50'000, 'x');
  for (int i = 0; i < 100; ++i) write(*follower, std::to_string(i), chunk);
  follower->process().close_stdin();
  write(*follower, "late", "never");
  EXPECT_EQ(outcomes_.size(), 101u);
  EXPECT_EQ(outcomes_.back(), "closed");
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(std::stoi(follower->output()), 5'000'000);
}

TEST_F(LocalProcessStdinTest, WritesBeyondTheQueueAreAnsweredAsTheProgramReads) {
  // The program doesn't read yet, so the pipe and then the queue fill up.
  const auto follower = start_piped("read line < '" + gate() + "'; exec wc -c");
  const std::string chunk(100'000, 'x');
  for (int i = 0; i < 400; ++i) write(*follower, std::to_string(i), chunk);
  EXPECT_LT(outcomes_.size(), 200u);
  release();
  follower->process().close_stdin();
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(outcomes_, Outcomes(400, "accepted"));
  EXPECT_EQ(std::stoi(follower->output()), 40'000'000);
}

TEST_F(LocalProcessStdinTest, WithoutAPipeStdinIsClosed) {
  const auto follower = start(script("cat; exec sleep 1000"));
  write(*follower, "1", "x");
  EXPECT_EQ(outcomes_, (Outcomes{"closed"}));
  EXPECT_EQ(follower->process().close_stdin(), WriteStatus::stdin_closed);
  follower->process().terminate();
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  EXPECT_EQ(follower->output(), "") << "cat met the end at once";
}

TEST_F(LocalProcessStdinTest, TerminateFailsTheWritesThatWaitAndComeLater) {
  const auto follower = start_piped("echo ready; exec sleep 1000");
  ASSERT_TRUE(run_until(loop_, [&] { return follower->output() == "ready\n"; }));
  for (int i = 0; i < 400; ++i) write(*follower, std::to_string(i), std::string(100'000, 'x'));
  const std::size_t accepted = outcomes_.size();
  EXPECT_LT(accepted, 400u);
  follower->process().terminate();
  ASSERT_EQ(outcomes_.size(), 400u);
  EXPECT_EQ(outcomes_[accepted], "failed to write to process stdin");
  write(*follower, "late", "x");
  EXPECT_EQ(outcomes_.back(), "failed to write to process stdin");
  write(*follower, "0", "x");
  EXPECT_EQ(outcomes_.back(), "accepted") << "a repetition of one that was accepted";
  EXPECT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
}

TEST_F(LocalProcessStdinTest, AProgramThatClosesItsStdinStopsNothing) {
  const auto follower = start_piped("exec <&-; echo closed; exec sleep 1000");
  ASSERT_TRUE(run_until(loop_, [&] { return follower->output() == "closed\n"; }));
  write(*follower, "1", "x");
  write(*follower, "2", "x");
  EXPECT_EQ(outcomes_.size(), 2u);
  EXPECT_EQ(outcomes_.back(), "closed");
  EXPECT_FALSE(follower->closed());
  follower->process().terminate();
  EXPECT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
}

TEST_F(LocalProcessStdinTest, AfterTheEndOfTheProcessStdinIsClosed) {
  const auto follower = start_piped("exit 0");
  ASSERT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
  write(*follower, "1", "x");
  EXPECT_EQ(outcomes_, (Outcomes{"closed"}));
}

}  // namespace
}  // namespace outpost::local::testing
