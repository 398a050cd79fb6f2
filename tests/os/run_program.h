#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "os/io.h"
#include "os/spawn.h"

namespace outpost::os::testing {

/// Waits until `fd` is readable; false after a time that means a failed test, never a slow machine.
inline bool wait_readable(int fd, int timeout_ms = 60'000) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  int ready = 0;
  do ready = ::poll(&entry, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready == 1;
}

/// Everything until the end: so whoever held the other side is gone when it returns.
inline std::string read_all(int fd) {
  std::string text;
  while (wait_readable(fd)) {
    std::byte buffer[4096];
    const IoCount got = read_some(fd, buffer);
    if (got.status != IoCount::ok) return text;
    text += as_text({buffer, got.bytes});
  }
  return text + "(no end)";
}

/// One line, without its end.
inline std::string read_line(int fd) {
  std::string line;
  std::byte next{};
  while (wait_readable(fd) && read_some(fd, {&next, 1}).bytes == 1 && next != std::byte{'\n'}) {
    line += static_cast<char>(next);
  }
  return line;
}

inline ExitStatus wait_for(const SpawnedChild& child) {
  EXPECT_TRUE(wait_readable(child.pidfd.get()));
  const auto status = exit_status(child.pidfd.get());
  EXPECT_TRUE(status.has_value());
  return status.value_or(ExitStatus{.code = -1});
}

inline SpawnRequest request_for(std::vector<std::string> argv) {
  SpawnRequest request;
  request.program = argv.at(0);
  request.argv = std::move(argv);
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

inline SpawnRequest shell(const std::string& script) {
  return request_for({"/bin/sh", "-c", script});
}

/// A child and the reading end of its stdout.
struct Running {
  SpawnedChild child;
  FileDescriptor output;
};

inline Running start(SpawnRequest request) {
  Pipe pipe = std::move(*make_pipe(Blocking::yes, Blocking::yes));
  request.stdout_fd = std::move(pipe.write);
  SpawnOutcome outcome = spawn(request);
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : os_error_text(outcome.error().error));
  if (!outcome) return {};
  return {std::move(*outcome), std::move(pipe.read)};
}

struct Finished {
  std::string output;
  ExitStatus status;
};

inline Finished run(SpawnRequest request) {
  Running running = start(std::move(request));
  if (!running.output) return {};
  std::string output = read_all(running.output.get());
  return {std::move(output), wait_for(running.child)};
}

}  // namespace outpost::os::testing
