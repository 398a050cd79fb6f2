#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.h"

namespace outpost::os {

/// What a program is started with (processes-and-sessions 5.2).
struct SpawnRequest {
  /// With a slash: a path, relative to `cwd`. Without: looked up in the PATH of `environment`, in the system's default
  /// path if there is none. There is no shell fall-back for files that aren't programs.
  std::string program;
  std::vector<std::string> argv;         ///< argv[0] included, and free to differ from `program`
  std::vector<std::string> environment;  ///< `NAME=value`, passed on as it stands; nothing is inherited
  std::string cwd;                       ///< empty: that of this process
  /// Owned until the spawn is over, then closed here. Empty means /dev/null; but with `controlling_terminal` `stdin_fd`
  /// is the terminal and stands for empty ones of the others. Any numbers will do, 0 to 2 included.
  FileDescriptor stdin_fd;
  FileDescriptor stdout_fd;
  FileDescriptor stderr_fd;
  bool controlling_terminal = false;
  /// 1 to `limits::orphan_tag_max`: inherited by everything the program starts, whatever it does to its sessions and
  /// parents, so that `kill_trees` finds orphans by it (`process_tree.h`). 0: none.
  std::uint32_t orphan_tag = 0;
  /// Where the child writes `0` to be in its cgroup from its first instruction on (`cgroup.h`); empty: it stays in
  /// ours.
  FileDescriptor cgroup_procs;
};

struct SpawnedChild {
  pid_t pid = 0;
  FileDescriptor pidfd;  ///< readable when the child has ended; closes on exec
};

/// Why there is no child. The caller makes texts and kinds of it (processes-and-sessions 5.5).
struct SpawnFailure {
  enum Stage {
    prepare,  ///< before there was a child: no memory, no descriptors, no pids; EINVAL for a NUL byte in a text
    folder,   ///< `cwd` can't be entered: ENOENT, ENOTDIR, EACCES
    child,    ///< the child couldn't set itself up
    exec,     ///< the program can't be executed: ENOENT, EACCES, ENOEXEC, E2BIG ...
  };
  int error = 0;
  Stage stage = prepare;
};

using SpawnOutcome = std::expected<SpawnedChild, SpawnFailure>;

/// Memory that a new child runs in until it executes its program: a stack and the place for its error. One at a time.
class SpawnStack {
 public:
  SpawnStack();  ///< maps it; a failure shows in `operator bool`
  SpawnStack(const SpawnStack&) = delete;
  SpawnStack& operator=(const SpawnStack&) = delete;
  ~SpawnStack();
  explicit operator bool() const { return base_ != nullptr; }
  void* top() const;
  void* shared() const;  ///< `shared_bytes` of memory that parent and child both see

  static constexpr std::size_t shared_bytes = 64;

 private:
  void* base_ = nullptr;
};

/// Starts a program and returns when it executes, or with the reason why not. The child leads a new session and process
/// group, has descriptors 0 to 2 only, no signal blocked or ignored, and dies (SIGKILL) when the *thread* that called
/// ends: call from a thread that lasts (`spawn_thread.h`). umask, user and limits are those of this process, the limit
/// on descriptors as it was before `raise_descriptor_limit`. Blocks for about 0.1 ms, longer on slow file systems.
SpawnOutcome spawn(const SpawnRequest& request, SpawnStack& stack);
SpawnOutcome spawn(const SpawnRequest& request);

struct ExitStatus {
  int code = 0;    ///< the exit status when `signal` is 0
  int signal = 0;  ///< the signal that ended the process, or 0

  /// What the protocol calls `exitCode` of a process on pipes: the status, or 128 + the signal.
  int wire_code() const { return signal != 0 ? 128 + signal : code; }
};

/// Reaps the child of `pidfd` if it has ended; nothing while it runs. If it isn't (any more) a child of this process
/// the status is lost: code 255. For children of `spawn`; children of a `SpawnThread` are reaped by that.
std::optional<ExitStatus> exit_status(int pidfd);

/// Whether the process of `pidfd` has ended, reaped or not.
bool has_ended(int pidfd);

/// Signals the process group that `leader` leads. Only while the leader isn't reaped: afterwards the number may be
/// another's. False if there is nothing to signal.
bool kill_group(pid_t leader, int signal);
/// Signals one process, never another one that got its number.
bool signal_process(int pidfd, int signal);

}  // namespace outpost::os
