#include "os/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>
#include <string_view>

#include "base/limits/system.h"
#include "os/descriptor_limit.h"
#include "os/signals.h"
#include "os/spawn_child.h"

namespace outpost::os {
namespace {

static_assert(sizeof(ChildReport) <= SpawnStack::shared_bytes);

constexpr std::size_t guard_page_bytes = 4096;
constexpr std::size_t mapping_bytes = limits::spawn_stack_bytes + guard_page_bytes;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// Its hook takes the call for a fork and goes wrong in memory that both share; the report lies in a shared mapping
// anyway.
constexpr int clone_memory = 0;
#else
constexpr int clone_memory = CLONE_VM;
#endif
#endif

std::unexpected<SpawnFailure> not_prepared(int error) {
  return std::unexpected(SpawnFailure{error, SpawnFailure::prepare});
}

/// confstr(_CS_PATH): what execvp searches when the environment has no PATH.
std::string system_path() {
  std::string path(::confstr(_CS_PATH, nullptr, 0), '\0');
  if (path.empty()) return "/bin:/usr/bin";
  ::confstr(_CS_PATH, path.data(), path.size());
  path.pop_back();
  return path;
}

std::string search_path(const std::vector<std::string>& environment) {
  constexpr std::string_view name = "PATH=";
  for (const std::string& variable : environment) {
    if (variable.starts_with(name)) return variable.substr(name.size());
  }
  return system_path();
}

std::vector<std::string> candidates_for(const SpawnRequest& request) {
  if (request.program.empty() || request.program.contains('/')) return {request.program};
  const std::string path = search_path(request.environment);
  std::vector<std::string> candidates;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string folder = path.substr(begin, end - begin);
    // An empty element is the current folder (execvp(3)).
    candidates.push_back(folder.empty() ? "./" + request.program : folder + "/" + request.program);
    begin = end + 1;
  }
  return candidates;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // execve takes char* const* for history's sake and changes nothing.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool has_nul_byte(const SpawnRequest& request) {
  const auto has_nul = [](const std::string& text) { return text.contains('\0'); };
  return has_nul(request.program) || has_nul(request.cwd) || std::ranges::any_of(request.argv, has_nul) ||
         std::ranges::any_of(request.environment, has_nul);
}

/// A stdin at its end where there is no /dev/null, as in an empty root.
FileDescriptor empty_input() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return {};
  ::close(fds[1]);
  return FileDescriptor(fds[0]);
}

/// Fills in the descriptors that the request leaves empty; what had to be opened for it lands in `opened`.
int choose_descriptors(const SpawnRequest& request, ChildPlan& plan, FileDescriptor& opened) {
  const int given[3] = {request.stdin_fd.get(), request.stdout_fd.get(), request.stderr_fd.get()};
  const bool terminal = request.controlling_terminal && given[0] >= 0;
  if (!terminal && std::ranges::min(given) < 0) {
    opened.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!opened && given[1] >= 0 && given[2] >= 0) opened = empty_input();
    if (!opened) return errno;
  }
  const int substitute = terminal ? given[0] : opened.get();
  std::ranges::transform(given, plan.descriptors, [&](int fd) { return fd >= 0 ? fd : substitute; });
  return 0;
}

/// The child of a failed start is a zombie already, or about to be one.
void reap_failed(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

SpawnOutcome start_child(ChildPlan& plan, SpawnStack& stack) {
  plan.report = new (stack.shared()) ChildReport;
  int pidfd = -1;
  pid_t pid = -1;
  int clone_error = 0;
  {
    const AllSignalsBlocked blocked;
    pid = ::clone(&run_child, stack.top(), clone_memory | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &pidfd);
    clone_error = errno;
  }
  if (pid < 0) return not_prepared(clone_error);
  SpawnedChild child{pid, FileDescriptor(pidfd)};
  if (plan.report->error == 0) return child;
  reap_failed(pid);
  return std::unexpected(SpawnFailure{plan.report->error, plan.report->stage});
}

}  // namespace

SpawnStack::SpawnStack() {
  void* mapping = ::mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return;
  base_ = mapping;
  ::mprotect(base_, guard_page_bytes, PROT_NONE);
}

SpawnStack::~SpawnStack() {
  if (base_ != nullptr) ::munmap(base_, mapping_bytes);
}

void* SpawnStack::shared() const {
  return static_cast<std::byte*>(base_) + mapping_bytes - shared_bytes;
}

void* SpawnStack::top() const {
  return shared();
}

SpawnOutcome spawn(const SpawnRequest& request, SpawnStack& stack) {
  if (!stack) return not_prepared(ENOMEM);
  if (has_nul_byte(request)) return not_prepared(EINVAL);
  const std::vector<std::string> candidates = candidates_for(request);
  const std::vector<char*> candidate_pointers = pointers_to(candidates);
  const std::vector<char*> argv = pointers_to(request.argv);
  const std::vector<char*> environment = pointers_to(request.environment);
  ChildPlan plan{.candidates = candidate_pointers.data(),
                 .argv = argv.data(),
                 .environment = environment.data(),
                 .folder = request.cwd.empty() ? nullptr : request.cwd.c_str(),
                 .controlling_terminal = request.controlling_terminal,
                 .tag_place = tag_place(),
                 .orphan_tag = std::min(request.orphan_tag, limits::orphan_tag_max),
                 .cgroup_procs = request.cgroup_procs.get(),
                 .descriptors_limit = original_descriptor_limit(),
                 .parent = ::getpid()};
  FileDescriptor opened;
  if (const int error = choose_descriptors(request, plan, opened); error != 0) return not_prepared(error);
  return start_child(plan, stack);
}

SpawnOutcome spawn(const SpawnRequest& request) {
  SpawnStack stack;
  return spawn(request, stack);
}

std::optional<ExitStatus> exit_status(int pidfd) {
  siginfo_t info{};
  int outcome = 0;
  do outcome = ::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG);
  while (outcome != 0 && errno == EINTR);
  if (outcome != 0) return ExitStatus{.code = 255};
  if (info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ExitStatus{.code = info.si_status};
  return ExitStatus{.signal = info.si_status};
}

bool has_ended(int pidfd) {
  pollfd waiting{.fd = pidfd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) > 0;
}

bool kill_group(pid_t leader, int signal) {
  // 0 and 1 would mean our own group and everybody.
  return leader > 1 && ::kill(-leader, signal) == 0;
}

bool signal_process(int pidfd, int signal) {
  return ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
}

}  // namespace outpost::os
