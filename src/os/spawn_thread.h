#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include "os/spawn.h"

namespace outpost::os {

/// The one permanent thread that starts programs, so that their parent-death signal means the end of this process and
/// not of some worker; and the list of the children it started, so that adopted orphans can be told from them.
/// All members may be called from any thread.
class SpawnThread {
 public:
  using Done = std::move_only_function<void(SpawnOutcome)>;

  SpawnThread() = default;
  SpawnThread(const SpawnThread&) = delete;
  SpawnThread& operator=(const SpawnThread&) = delete;
  ~SpawnThread() { stop(); }

  /// Answers what still waits with ECANCELED, and ends the thread; later starts are refused. Living children are killed
  /// by the kernel with the thread. Safe to repeat.
  void stop();

  /// Queues a start; false (and `done` is dropped) when `limits::spawn_queue_max` wait already or no thread can be
  /// made. Otherwise `done` runs exactly once, on the spawn thread: it should only post to the caller's loop, and not
  /// throw. The request's descriptors are closed before `done` runs. The thread starts with the first call.
  bool submit(SpawnRequest request, Done done);

  /// As the free `exit_status`, for a child that `submit` gave. Call it when the pidfd is readable.
  std::optional<ExitStatus> exit_status(const SpawnedChild& child);

  /// Reaps adopted orphans that have ended, and never a child of `submit`. Call it on SIGCHLD, or now and then; what
  /// can't be told yet (a start is under way, a child of ours isn't reaped) is made up for as soon as it can. Needs
  /// this process to be a subreaper, and no children of other makers.
  void reap_orphans();

 private:
  struct Job {
    SpawnRequest request;
    Done done;
  };
  void run();
  void perform(Job job, bool cancelled);
  SpawnOutcome start(const SpawnRequest& request);
  void reap_orphans_locked();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::unordered_set<pid_t> children_;  // started and not reaped
  bool spawning_ = false;               // a child may exist that `children_` doesn't hold yet
  bool orphans_wait_ = false;           // a reaping of orphans was cut short
  bool stopping_ = false;
  SpawnStack stack_;
  std::thread thread_;
};

}  // namespace outpost::os
