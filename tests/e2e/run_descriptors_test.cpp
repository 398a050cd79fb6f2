#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>

#include <algorithm>

#include "run_command.h"

/// `outpost run` and the descriptors that its caller gave it, which are the caller's and stay as they are.
namespace outpost {
namespace {

using testing::Program;

class RunDescriptors : public testing::RunCommand {
 protected:
  /// A start of `outpost run` that leaves the descriptors to the test.
  os::SpawnRequest request(std::vector<std::string> command) const {
    std::vector<std::string> all = arguments(std::move(command));
    all.insert(all.begin(), OUTPOST_BINARY);
    return os::testing::request_for(std::move(all));
  }
  /// The script finds the program as $0 and the URL as $1.
  os::testing::Finished script(const std::string& text) const {
    return os::testing::run(os::testing::request_for({"/bin/sh", "-c", text, OUTPOST_BINARY, server.url()}));
  }
};

os::Pipe pipe_of(os::Blocking read_end, os::Blocking write_end) {
  return std::move(*os::make_pipe(read_end, write_end));
}

std::string numbers(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(RunDescriptors, AStdinThatBlocksStaysSo) {
  os::Pipe pipe = pipe_of(os::Blocking::yes, os::Blocking::yes);
  const os::FileDescriptor input = *os::duplicate(pipe.read.get());
  Program program(arguments({"/bin/cat"}), std::move(pipe.read));
  os::write_some(pipe.write.get(), as_bytes("a\n"));
  EXPECT_EQ(program.line(), "a");
  EXPECT_EQ(::fcntl(input.get(), F_GETFL) & O_NONBLOCK, 0);
  pipe.write.reset();
  EXPECT_EQ(program.wait().wire_code(), 0);
  EXPECT_EQ(::fcntl(input.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(RunDescriptors, AStdinThatDoesNotBlockIsReadToItsEnd) {
  os::Pipe pipe = pipe_of(os::Blocking::no, os::Blocking::yes);
  Program program(arguments({"/bin/cat"}), std::move(pipe.read));
  for (const std::string text : {"a", "b"}) {
    os::write_some(pipe.write.get(), as_bytes(text + "\n"));
    EXPECT_EQ(program.line(), text);
  }
  pipe.write.reset();
  EXPECT_EQ(program.rest(), "");
  EXPECT_EQ(program.wait().wire_code(), 0);
}

TEST_F(RunDescriptors, AStdoutThatDoesNotBlockTakesEverything) {
  os::Pipe pipe = pipe_of(os::Blocking::yes, os::Blocking::no);
  os::SpawnRequest start = request({"/usr/bin/seq", "1", "300000"});
  start.stdout_fd = std::move(pipe.write);
  const auto child = os::spawn(start);
  start = {};
  ASSERT_TRUE(child);
  EXPECT_TRUE(os::testing::read_all(pipe.read.get()) == numbers(300'000));
  EXPECT_EQ(os::testing::wait_for(*child).wire_code(), 0);
}

TEST_F(RunDescriptors, ATerminalTakesEverything) {
  const os::FileDescriptor ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(ours && ::grantpt(ours.get()) == 0 && ::unlockpt(ours.get()) == 0);
  char name[128];
  ASSERT_EQ(::ptsname_r(ours.get(), name, sizeof name), 0);
  os::SpawnRequest start = request({"/usr/bin/seq", "1", "300000"});
  start.stdin_fd = os::FileDescriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  start.stdout_fd = *os::duplicate(start.stdin_fd.get());
  start.stderr_fd = *os::duplicate(start.stdin_fd.get());
  const auto child = os::spawn(start);
  start = {};
  ASSERT_TRUE(child);
  std::string shown = os::testing::read_all(ours.get());
  std::erase(shown, '\r');
  EXPECT_TRUE(shown == numbers(300'000)) << shown.size();
  EXPECT_EQ(os::testing::wait_for(*child).wire_code(), 0);
}

TEST_F(RunDescriptors, AClosedStdinIsAnEmptyOne) {
  const auto done = script(R"(exec "$0" run --url "$1" -- /usr/bin/wc -c <&-)");
  EXPECT_EQ(done.output, "0\n");
  EXPECT_EQ(done.status.wire_code(), 0);
}

TEST_F(RunDescriptors, ClosedOutputsAreDiscarded) {
  EXPECT_EQ(
      script(R"(exec "$0" run --url "$1" -- /bin/sh -c 'echo out; echo err >&2; exit 3' >&- 2>&-)").status.wire_code(),
      3);
}

TEST_F(RunDescriptors, AStderrWithoutReaderIsDiscardedAlone) {
  os::Pipe errors = pipe_of(os::Blocking::yes, os::Blocking::yes);
  os::SpawnRequest start = request({"/bin/sh", "-c", "echo err >&2; echo more >&2; cat; echo out; exit 3"});
  start.stderr_fd = std::move(errors.write);
  errors.read.reset();
  const auto done = os::testing::run(std::move(start));
  EXPECT_EQ(done.output, "out\n");
  EXPECT_EQ(done.status.wire_code(), 3);
}

TEST_F(RunDescriptors, AReaderThatPausesFillsNoMemory) {
  Program program(arguments({"/usr/bin/yes"}));
  EXPECT_EQ(program.line(), "y");
  // Time for a fault to show; a machine that is too slow for that passes.
  ::poll(nullptr, 0, 500);
  EXPECT_LT(testing::status_kib(program.pid(), "VmRSS"), 64u * 1024);
  program.close_output();
  EXPECT_EQ(program.wait().wire_code(), 128 + SIGPIPE);
}

}  // namespace
}  // namespace outpost
