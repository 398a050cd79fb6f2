#include "apps/outpost/run_output.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/limits/clients.h"
#include "base/run_until.h"
#include "os/io.h"
#include "os/run_program.h"

namespace outpost::apps {
namespace {

using Stream = RunOutput::Stream;

class RunOutputTest : public ::testing::Test {
 protected:
  explicit RunOutputTest(os::Blocking mode = os::Blocking::yes)
      : output_(std::move(*os::make_pipe(os::Blocking::yes, mode))),
        errors_(std::move(*os::make_pipe(os::Blocking::yes, mode))) {}
  ~RunOutputTest() override {
    // Left open: the thread that writes there may be in a call when the test ends.
    static_cast<void>(output_.write.release());
    static_cast<void>(errors_.write.release());
  }
  void write(Stream stream, std::string_view text) { writer_->write(stream, Bytes::copy_of(as_bytes(text))); }
  void drain() {
    const int before = drained_;
    if (!writer_->drained()) EXPECT_TRUE(outpost::testing::run_until(loop_, [&] { return drained_ > before; }));
    outpost::testing::run_ready(loop_);  // what the thread told before
  }

  Loop loop_;
  os::Pipe output_, errors_;
  int room_ = 0, drained_ = 0;
  std::vector<int> failures_;
  std::unique_ptr<RunOutput> writer_ = std::make_unique<RunOutput>(
      loop_, RunOutput::Descriptors{.output = output_.write.get(), .errors = errors_.write.get()},
      RunOutput::Events{.on_room = [this] { ++room_; },
                        .on_drained = [this] { ++drained_; },
                        .on_stdout_failed = [this](int error) { failures_.push_back(error); }});
};

class RunOutputThatDoesNotBlock : public RunOutputTest {
 protected:
  RunOutputThatDoesNotBlock() : RunOutputTest(os::Blocking::no) {}
};

TEST_F(RunOutputTest, WritesEachStreamToItsDescriptor) {
  EXPECT_TRUE(writer_->drained());
  write(Stream::output, "out\n");
  write(Stream::errors, "err\n");
  drain();
  EXPECT_EQ(os::testing::read_line(output_.read.get()), "out");
  EXPECT_EQ(os::testing::read_line(errors_.read.get()), "err");
}

TEST_F(RunOutputThatDoesNotBlock, WaitsForItsReader) {
  const std::string text(limits::output_bytes_ahead + 1, 'x');
  write(Stream::output, text);
  EXPECT_TRUE(writer_->full());
  std::string got;
  while (got.size() < text.size() && os::testing::wait_readable(output_.read.get())) {
    std::array<std::byte, 4096> buffer;
    got += as_text(ByteView(buffer.data(), os::read_some(output_.read.get(), buffer).bytes));
  }
  EXPECT_TRUE(got == text) << got.size();
  EXPECT_TRUE(outpost::testing::run_until(loop_, [&] { return room_ == 1; }));
  EXPECT_FALSE(writer_->full());
  EXPECT_TRUE(failures_.empty());
}

TEST_F(RunOutputTest, AStdoutWithoutReaderIsToldOnceAndStderrGoesOn) {
  output_.read.reset();
  for (int i = 0; i < 10; ++i) write(Stream::output, "x");
  write(Stream::errors, "still here\n");
  drain();
  EXPECT_EQ(failures_, std::vector<int>{EPIPE});
  EXPECT_EQ(os::testing::read_line(errors_.read.get()), "still here");
}

TEST_F(RunOutputTest, AStderrWithoutReaderIsNobodysTrouble) {
  errors_.read.reset();
  write(Stream::errors, "x");
  write(Stream::output, "out\n");
  drain();
  EXPECT_TRUE(failures_.empty());
  EXPECT_EQ(os::testing::read_line(output_.read.get()), "out");
}

TEST_F(RunOutputTest, MayGoWhileItWrites) {
  write(Stream::output, std::string(1'000'000, 'x'));
  EXPECT_TRUE(os::testing::wait_readable(output_.read.get()));
  writer_.reset();
  outpost::testing::run_ready(loop_);
  EXPECT_EQ(drained_, 0);
  output_.read.reset();  // so that the thread ends
}

}  // namespace
}  // namespace outpost::apps

/// As in the program: a write without a reader is an error, not the end.
const auto broken_pipes_ignored = std::signal(SIGPIPE, SIG_IGN);
