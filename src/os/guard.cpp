#include "os/guard.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits/system.h"
#include "os/io.h"
#include "os/launch.h"
#include "os/process_tree.h"
#include "os/service_manager.h"

namespace outpost::os {
namespace {

using Clock = std::chrono::steady_clock;

/// What the server sends its guard to say that it is ready: from anybody else it means nothing.
constexpr int ready_signal = SIGUSR1;

/// Children from before: `sleep 9 & exec outpost serve` gives us one. They aren't the server's and are left alone.
std::vector<pid_t> earlier_children() {
  std::vector<pid_t> children;
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return children;
  for (const ProcessEntry& entry : list_processes()) {
    if (entry.parent == ::getpid()) children.push_back(entry.pid);
  }
  return children;
}

/// What the guard waits for. A hang-up that the launcher ignores (nohup) must not be blocked, since a blocked signal is
/// kept even if it is ignored. SIGINT counts always: shells ignore it in background jobs, whom `kill -INT` shall reach.
sigset_t signals_of_guard(bool hang_up_is_no_end) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD, ready_signal}) sigaddset(&set, signal);
  if (hang_up_is_no_end || !is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
  return set;
}

class Guard {
 public:
  Guard(pid_t server, std::vector<pid_t> spared, const sigset_t& signals, const GuardSettings& settings)
      : server_(server), spared_(std::move(spared)), signals_(signals), settings_(settings) {}

  int run() {
    while (!status_) attend(next_signal());
    tell_stopping();
    clear_up();
    return WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
  }

 private:
  /// The next signal; 0 if there is none in time, or the wait was cut short.
  int next_signal() {
    sender_ = {};
    if (!kill_at_) return std::max(0, ::sigwaitinfo(&signals_, &sender_));
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(*kill_at_ - Clock::now()).count();
    constexpr long ns_per_s = 1'000'000'000;
    if (left <= 0) {
      ::kill(server_, SIGKILL);
      killed_ = true;
      kill_at_.reset();
      return 0;
    }
    const timespec wait{.tv_sec = left / ns_per_s, .tv_nsec = left % ns_per_s};
    return std::max(0, ::sigtimedwait(&signals_, &sender_, &wait));
  }

  void attend(int signal) {
    if (signal == SIGCHLD) reap();
    if (signal == 0 || signal == SIGCHLD) return;
    if (signal == ready_signal) {
      if (sender_.si_pid == server_) notify_service_manager(settings_.notify_address, "READY=1");
      return;
    }
    ::kill(server_, signal);
    if (signal == SIGHUP && settings_.hang_up_is_no_end) return;
    tell_stopping();
    // A server that hangs must not make its supervisor hang.
    if (!kill_at_ && !killed_) kill_at_ = Clock::now() + limits::guard_patience;
  }

  void tell_stopping() {
    if (!std::exchange(stopping_told_, true)) notify_service_manager(settings_.notify_address, "STOPPING=1");
  }

  /// Takes whatever has ended; false if there are no children at all.
  bool reap() {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == EINTR) continue;
      if (pid <= 0) return pid == 0;
      if (pid == server_) status_ = status;
      // The number may come back as a process of the server's making.
      std::erase(spared_, pid);
    }
  }

  /// The server's orphans are ours now. Usually there are none and this is one system call.
  void clear_up() {
    const auto deadline = Clock::now() + limits::guard_clear_up_max;
    while (reap()) {
      const TreeKill kill = kill_descendants(spared_);
      if (kill.killed == 0 || Clock::now() > deadline) break;
      constexpr timespec between_looks{.tv_sec = 0, .tv_nsec = 20'000'000};
      ::sigtimedwait(&signals_, nullptr, &between_looks);
    }
    reap();
  }

  const pid_t server_;
  std::vector<pid_t> spared_;
  const sigset_t signals_;
  const GuardSettings& settings_;
  siginfo_t sender_{};
  std::optional<int> status_;
  std::optional<Clock::time_point> kill_at_;  // the server was asked to end
  bool killed_ = false, stopping_told_ = false;
};

/// The server keeps what the launcher blocked, and blocks what it reads from a descriptor later: nothing that arrives
/// before that is lost.
void set_server_signals(sigset_t launched_with) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&launched_with, signal);
  sigdelset(&launched_with, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &launched_with, nullptr);
}

int run_server(std::move_only_function<int(GuardLink)>& server, GuardLink link, const sigset_t& launched_with) {
  // One kill of the launcher's process group must not hit both sides, and ^C must reach the guard alone, which passes
  // it on once. It is the server that moves: the guard may lead a group (a shell's job does) and then can't.
  ::setsid();
  become_subreaper();
  set_server_signals(launched_with);
  return server(std::move(link));
}

int report(const char* step, int error) {
  std::fprintf(stderr, "Error: cannot start the guard: %s: %s\n", step, os_error_text(error).c_str());
  return 1;
}

}  // namespace

void GuardLink::tell_ready() const {
  ::kill(guard_pid, ready_signal);
}

int run_guarded(std::move_only_function<int(GuardLink)> server, GuardSettings settings) {
  fill_standard_descriptors();
  // Ignored by some launchers; then children would vanish unseen.
  ::signal(SIGCHLD, SIG_DFL);
  if (!become_subreaper()) return report("PR_SET_CHILD_SUBREAPER", errno);
  // Held by the guard, read by the server: its end is the guard's death. No parent-death signal: it would be as sudden
  // as the guard's own, while the server needs a moment to end its processes. The other way round a parent is told
  // anyway.
  auto pipe = make_pipe(Blocking::no, Blocking::no);
  if (!pipe) return report("pipe", errno);
  const sigset_t watched = signals_of_guard(settings.hang_up_is_no_end);
  sigset_t launched_with;
  ::sigprocmask(SIG_BLOCK, &watched, &launched_with);
  std::vector<pid_t> spared = earlier_children();
  const pid_t guard_pid = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return report("fork", errno);
  if (pid == 0) {
    pipe->write.reset();
    return run_server(server, {std::move(pipe->read), guard_pid}, launched_with);
  }
  pipe->read.reset();
  const int status = Guard(pid, std::move(spared), watched, settings).run();
  if (settings.after) settings.after();
  return status;
}

}  // namespace outpost::os
