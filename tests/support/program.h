#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "os/process_tree.h"
#include "os/run_program.h"

/// Runs of the real program. Whatever a test starts ends with the test: a child of `spawn` dies with the thread that
/// started it, and the program leaves nothing behind.
namespace outpost::testing {

using os::testing::read_all;
using os::testing::read_line;
using os::testing::wait_readable;

/// A file in memory that holds `text`, to be read from its beginning.
inline os::FileDescriptor memory_file(const std::string& text = "") {
  os::FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return file;
}
inline std::string content_of(const os::FileDescriptor& file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0;
       (got = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// A process that may be anybody's, told from others that get its number.
inline os::FileDescriptor open_process(pid_t pid) {
  os::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  EXPECT_TRUE(process) << pid;
  return process;
}
/// Waits for the death of a process.
inline bool wait_for_death(const os::FileDescriptor& process) {
  return wait_readable(process.get());
}

/// A line of /proc/PID/status in KiB: `VmRSS`, `VmHWM` (its peak).
inline std::size_t status_kib(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  }
  ADD_FAILURE() << "no " << name << " of " << pid;
  return 0;
}
/// Makes the present size of a process its peak.
inline void reset_peak(pid_t pid) {
  std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";
}

/// The program under way, with what it prints.
class Program {
 public:
  /// `arguments` come behind the name of the program; without `input` its stdin is /dev/null.
  explicit Program(std::vector<std::string> arguments, os::FileDescriptor input = {}) : errors_(memory_file()) {
    arguments.insert(arguments.begin(), OUTPOST_BINARY);
    os::SpawnRequest request = os::testing::request_for(std::move(arguments));
    request.stdin_fd = std::move(input);
    request.stderr_fd = *os::duplicate(errors_.get());
    running_ = os::testing::start(std::move(request));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (running_.child.pid != 0 && !ended_) {
      signal(SIGTERM);
      wait();
    }
  }

  pid_t pid() const { return running_.child.pid; }
  void signal(int number) { os::signal_process(running_.child.pidfd.get(), number); }
  std::string line() { return read_line(running_.output.get()); }
  /// What it prints until it and all that hold its stdout are gone.
  std::string rest() { return read_all(running_.output.get()); }
  os::ExitStatus wait() {
    ended_ = true;
    return os::testing::wait_for(running_.child);
  }
  std::string errors() const { return content_of(errors_); }
  int output_fd() const { return running_.output.get(); }
  void close_output() { running_.output.reset(); }

 private:
  os::FileDescriptor errors_;
  os::testing::Running running_;
  bool ended_ = false;
};

/// How a run of the program went.
struct ProgramResult {
  int status = 0;  ///< 128 + the signal if one killed it
  std::string output;
  std::string errors;
};
inline ProgramResult run_program(std::vector<std::string> arguments, os::FileDescriptor input = {}) {
  Program program(std::move(arguments), std::move(input));
  std::string output = program.rest();
  const int status = program.wait().wire_code();
  return {status, std::move(output), program.errors()};
}

/// `outpost serve` on a free port of the loopback address.
class TestServer {
 public:
  explicit TestServer(std::vector<std::string> options = {}) : program_(serve_arguments(std::move(options))) {
    url_ = program_.line();
    EXPECT_TRUE(url_.starts_with("ws://127.0.0.1:")) << url_ << program_.errors();
  }
  const std::string& url() const { return url_; }
  std::uint16_t port() const { return static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1))); }
  /// The process that was launched.
  Program& guard() { return program_; }
  /// Its child, which does the work.
  pid_t server_pid() const {
    for (const os::ProcessEntry& entry : os::list_processes()) {
      if (entry.parent == program_.pid()) return entry.pid;
    }
    ADD_FAILURE() << "the guard has no child";
    return 0;
  }

 private:
  static std::vector<std::string> serve_arguments(std::vector<std::string> options) {
    options.insert(options.begin(), {"serve", "--listen", "ws://127.0.0.1:0"});
    return options;
  }
  Program program_;
  std::string url_;
};

}  // namespace outpost::testing
