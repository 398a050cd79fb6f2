// A program for the tests of `os` to start and kill: `os_probe MODE [ARGUMENT]`.

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "os/guard.h"
#include "os/io.h"
#include "os/orphan_tag.h"
#include "os/process_tree.h"
#include "os/signals.h"
#include "os/spawn.h"

namespace outpost::os {
namespace {

constexpr int ended_by_signal = 7;

void say(const std::string& line) {
  write_some(STDOUT_FILENO, as_bytes(line + "\n"));
}

bool start_script(const char* script) {
  SpawnRequest request;
  request.program = "/bin/sh";
  request.argv = {"sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  request.stdout_fd = std::move(*duplicate(STDOUT_FILENO));
  return spawn(request).has_value();
}

/// A server in small: starts a script, ends everything when it is told to or when its guard is gone.
int serve(GuardLink link, const char* script) {
  ignore_broken_pipes();
  const auto signals = watch_signals({SIGTERM, SIGINT, SIGHUP});
  if (!signals) return 1;
  say("server " + std::to_string(::getpid()) + " guard " + std::to_string(link.guard_pid));
  if (script != nullptr && !start_script(script)) return 1;
  pollfd entries[] = {{.fd = signals->get(), .events = POLLIN, .revents = 0},
                      {.fd = link.guard_death.get(), .events = POLLIN, .revents = 0}};
  while (::poll(entries, 2, -1) < 0) continue;
  const auto signal = next_signal(signals->get());
  say(signal ? "signal " + std::to_string(*signal) : "guard gone");
  kill_descendants();
  return signal ? ended_by_signal : 0;
}

/// Starts a `cat` without a stdin; the exit status is cat's.
int read_nothing() {
  SpawnRequest request;
  request.program = "/bin/cat";
  request.argv = {"cat"};
  request.stdout_fd = std::move(*duplicate(STDOUT_FILENO));
  request.stderr_fd = std::move(*duplicate(STDOUT_FILENO));
  const auto child = spawn(request);
  if (!child) return 1;
  pollfd entry{.fd = child->pidfd.get(), .events = POLLIN, .revents = 0};
  ::poll(&entry, 1, -1);
  return exit_status(child->pidfd.get()).value_or(ExitStatus{.code = 1}).wire_code();
}

/// Prints the tag that an ordinary user reads of a child of its own.
int tag_unprivileged() {
  if (::geteuid() == 0 && ::setuid(65534) != 0) return 1;
  SpawnRequest request;
  request.program = "/bin/sleep";
  request.argv = {"sleep", "1000"};
  request.orphan_tag = 4711;
  const auto child = spawn(request);
  if (!child) return 1;
  say(std::to_string(orphan_tag_of(child->pid)));
  return 0;
}

int run(std::string_view mode, const char* argument) {
  if (mode == "tag") return tag_unprivileged();
  if (mode == "read") return read_nothing();
  if (mode == "serve") return run_guarded([=](GuardLink link) { return serve(std::move(link), argument); });
  if (mode == "exit") return run_guarded([=](GuardLink) { return std::atoi(argument); });
  if (mode == "die") return run_guarded([=](GuardLink) { return ::raise(std::atoi(argument)); });
  return 2;
}

}  // namespace
}  // namespace outpost::os

int main(int argc, char** argv) {
  return argc < 2 ? 2 : outpost::os::run(argv[1], argc > 2 ? argv[2] : nullptr);
}
