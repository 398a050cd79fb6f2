// Everything in this file runs in a new child before it executes its program, on a borrowed stack and in the memory of
// the parent, whose thread sleeps meanwhile while its other threads run on. So: only async-signal-safe calls
// (signal-safety(7)) and bare system calls, no allocation, no lock, nothing that needs a destructor, no write but to
// locals and the report. Nothing else may be called from here, and a change of this file needs a second pair of eyes.

#include "os/spawn_child.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

// The functions never return, so the marks that a sanitizer puts around their locals would stay on the borrowed stack.
#define OUTPOST_CHILD_CODE __attribute__((no_sanitize("address", "thread", "undefined")))

namespace outpost::os {
namespace {

constexpr int first_spare_fd = 3;
/// Without close_range only these can be closed one by one. All of ours close on exec anyway.
constexpr int fallback_fds = 1024;

[[noreturn]] OUTPOST_CHILD_CODE void give_up(const ChildPlan& plan, SpawnFailure::Stage stage, int error) {
  plan.report->stage = stage;
  plan.report->error = error;
  // Not _exit: sanitizers hook it, and would report and flush for the parent.
  while (true) ::syscall(SYS_exit_group, 127);
}

/// `struct sigaction` as the kernel has it (rt_sigaction(2)); all zeros is the default.
struct KernelSigaction {
  void (*handler)(int) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  std::uint64_t mask = 0;
};

/// Handlers would run in the parent's memory, and ignored signals stay ignored over exec (signal(7)).
OUTPOST_CHILD_CODE void reset_signals() {
  // Asked of the kernel itself: the C library refuses its own signals 32 and 33, which a parent that used posix_spawn
  // may have left ignored.
  constexpr KernelSigaction fresh{};
  for (int signal = 1; signal < NSIG; ++signal) {
    KernelSigaction current;
    if (::syscall(SYS_rt_sigaction, signal, nullptr, &current, sizeof current.mask) != 0) continue;
    if (current.handler != nullptr) ::syscall(SYS_rt_sigaction, signal, &fresh, nullptr, sizeof fresh.mask);
  }
}

/// Puts the three descriptors at 0 to 2. They may be any numbers, also each other's: so those below 3 move away first.
OUTPOST_CHILD_CODE void place_descriptors(const ChildPlan& plan) {
  int sources[3];
  for (int target = 0; target < 3; ++target) {
    const int source = plan.descriptors[target];
    sources[target] = source < first_spare_fd ? ::fcntl(source, F_DUPFD, first_spare_fd) : source;
    if (sources[target] < 0) give_up(plan, SpawnFailure::child, errno);
  }
  for (int target = 0; target < 3; ++target) {
    if (::dup2(sources[target], target) < 0) give_up(plan, SpawnFailure::child, errno);
  }
  if (::close_range(first_spare_fd, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int fd = first_spare_fd; fd < fallback_fds; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

OUTPOST_CHILD_CODE void set_up(const ChildPlan& plan) {
  reset_signals();
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(plan, SpawnFailure::child, errno);
  // The parent may have died before the line above took effect.
  if (::getppid() != plan.parent) give_up(plan, SpawnFailure::child, ESRCH);
  if (::setsid() < 0) give_up(plan, SpawnFailure::child, errno);
  if (plan.cgroup_procs >= 0 && ::write(plan.cgroup_procs, "0", 1) != 1) give_up(plan, SpawnFailure::child, errno);
  place_descriptors(plan);
  if (plan.controlling_terminal && ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) {
    give_up(plan, SpawnFailure::child, errno);
  }
  carry_orphan_tag(plan.tag_place, plan.orphan_tag);
  if (plan.descriptors_limit != nullptr) ::setrlimit(RLIMIT_NOFILE, plan.descriptors_limit);
  if (plan.folder != nullptr && ::chdir(plan.folder) != 0) give_up(plan, SpawnFailure::folder, errno);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// As execvp(3) goes through PATH: a candidate that isn't there is passed over, one without permission as well, but
/// remembered. ENOEXEC ends the search: no shell is tried.
OUTPOST_CHILD_CODE int execute(const ChildPlan& plan) {
  int error = ENOENT;
  bool forbidden = false;
  for (const char* const* candidate = plan.candidates; *candidate != nullptr; ++candidate) {
    ::execve(*candidate, plan.argv, plan.environment);
    error = errno;
    if (error == EACCES) forbidden = true;
    const bool absent = error == ENOENT || error == ENOTDIR || error == ESTALE || error == ENODEV || error == ETIMEDOUT;
    if (!absent && error != EACCES) return error;
  }
  return forbidden ? EACCES : error;
}

}  // namespace

OUTPOST_CHILD_CODE void carry_orphan_tag(TagPlace place, std::uint32_t tag) {
  if (tag == 0) return;
  if (place == TagPlace::timer_slack) {
    ::prctl(PR_SET_TIMERSLACK, tag_base(place) + tag);
    return;
  }
  rlimit limit;
  if (::getrlimit(RLIMIT_RTTIME, &limit) != 0 || limit.rlim_max != RLIM_INFINITY) return;
  limit.rlim_cur = tag_base(place) + tag;
  ::setrlimit(RLIMIT_RTTIME, &limit);
}

OUTPOST_CHILD_CODE int run_child(void* plan) {
  const auto& child = *static_cast<const ChildPlan*>(plan);
  set_up(child);
  give_up(child, SpawnFailure::exec, execute(child));
}

}  // namespace outpost::os
