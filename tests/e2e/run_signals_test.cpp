#include <gtest/gtest.h>
#include <poll.h>

#include "run_command.h"

/// Whatever state it is in, `outpost run` can be ended; and it leaves alone what its caller had ignored.
namespace outpost {
namespace {

using testing::Program;

class RunSignals : public testing::RunCommand {
 protected:
  std::vector<std::string> bash(const std::string& script) const { return arguments({"/bin/bash", "-c", script}); }
  /// ^C again and again, as a person would, until it has ended.
  static os::ExitStatus interrupt_until_the_end(Program& program, const os::FileDescriptor& process) {
    for (int tries = 0; tries < 1000 && !os::testing::wait_readable(process.get(), 50); ++tries) program.signal(SIGINT);
    return program.wait();
  }
  /// Waits until nothing more goes into the program's stdout, which nobody reads.
  static void fill_output(const Program& program) {
    std::size_t before = 0;
    for (std::size_t bytes = 1; bytes != before || bytes < 32U * 1024; ::poll(nullptr, 0, 100)) {
      before = std::exchange(bytes, os::pipe_bytes_available(program.output_fd()));
    }
  }
};

/// A server that hangs, as long as the test needs it.
class Frozen {
 public:
  explicit Frozen(pid_t pid) : process_(testing::open_process(pid)) { os::signal_process(process_.get(), SIGSTOP); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;
  ~Frozen() { os::signal_process(process_.get(), SIGCONT); }

 private:
  os::FileDescriptor process_;
};

TEST_F(RunSignals, EndsAlthoughTheServerHangs) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    Program program(bash("echo up; sleep 1000"));
    EXPECT_EQ(program.line(), "up");
    const Frozen frozen(server.server_pid());
    program.signal(signal);
    EXPECT_EQ(program.wait().wire_code(), 128 + signal);
  }
}

TEST_F(RunSignals, EndsByInterruptsAlthoughTheServerHangs) {
  Program program(bash("echo up; sleep 1000"));
  const auto process = testing::open_process(program.pid());
  EXPECT_EQ(program.line(), "up");
  const Frozen frozen(server.server_pid());
  EXPECT_EQ(interrupt_until_the_end(program, process).wire_code(), 128 + SIGINT);
}

TEST_F(RunSignals, EndsAlthoughNobodyReadsItsOutput) {
  Program program(arguments({"/usr/bin/yes"}));
  fill_output(program);
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 128 + SIGTERM);
}

TEST_F(RunSignals, EndsAlthoughTheLastOutputIsNotRead) {
  Program program(arguments({"/usr/bin/head", "-c", "500000", "/dev/zero"}));
  fill_output(program);
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 128 + SIGTERM);
}

TEST_F(RunSignals, TheLastOutputWaitsForItsReader) {
  Program program(arguments({"/usr/bin/head", "-c", "500000", "/dev/zero"}));
  fill_output(program);
  EXPECT_EQ(program.rest().size(), 500'000u);
  EXPECT_EQ(program.wait().wire_code(), 0);
}

TEST_F(RunSignals, IgnoredOnesStayIgnored) {
  os::Pipe input = std::move(*os::make_pipe(os::Blocking::yes, os::Blocking::yes));
  os::SpawnRequest start = os::testing::request_for(
      {"/bin/sh", "-c", R"(trap "" HUP INT; exec "$0" run --url "$1" -- /bin/sh -c 'echo up; read line; echo "$line"')",
       OUTPOST_BINARY, server.url()});
  start.stdin_fd = std::move(input.read);
  const os::testing::Running program = os::testing::start(std::move(start));
  EXPECT_EQ(os::testing::read_line(program.output.get()), "up");
  os::signal_process(program.child.pidfd.get(), SIGHUP);
  os::signal_process(program.child.pidfd.get(), SIGINT);
  os::write_some(input.write.get(), as_bytes("still here\n"));
  EXPECT_EQ(os::testing::read_all(program.output.get()), "still here\n");
  EXPECT_EQ(os::testing::wait_for(program.child).wire_code(), 0);
}

constexpr auto counts_interrupts = "trap 'echo caught' INT; echo up; while :; do sleep 0.05; done";

TEST_F(RunSignals, InterruptsWithTimeBetweenThemAreAllTheCommands) {
  Program program(bash(counts_interrupts));
  EXPECT_EQ(program.line(), "up");
  for (int i = 0; i < 3; ++i) {
    program.signal(SIGINT);
    EXPECT_EQ(program.line(), "caught");
    ::poll(nullptr, 0, 2500);
  }
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 128 + SIGTERM);
}

TEST_F(RunSignals, ASecondInterruptSoonAfterTheFirstEndsTheCommand) {
  Program program(bash(counts_interrupts));
  const auto process = testing::open_process(program.pid());
  EXPECT_EQ(program.line(), "up");
  EXPECT_EQ(interrupt_until_the_end(program, process).wire_code(), 128 + SIGINT);
}

}  // namespace
}  // namespace outpost
