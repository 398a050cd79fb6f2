#include "os/spawn_thread.h"

#include <sys/wait.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/limits/system.h"
#include "os/signals.h"

namespace outpost::os {
namespace {

/// A child that has ended, without reaping it; 0 if there is none.
pid_t next_dead_child() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
  return info.si_pid;
}

}  // namespace

void SpawnThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool SpawnThread::submit(SpawnRequest request, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || jobs_.size() >= limits::spawn_queue_max) return false;
    if (!thread_.joinable()) {
      // Signals belong to the loops: the new thread inherits that it takes none.
      const AllSignalsBlocked blocked;
      try {
        thread_ = std::thread([this] { run(); });
      } catch (const std::system_error&) {
        return false;
      }
    }
    jobs_.push_back({std::move(request), std::move(done)});
  }
  wake_.notify_one();
  return true;
}

void SpawnThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    const bool cancelled = stopping_;
    spawning_ = !cancelled;
    lock.unlock();
    perform(std::move(job), cancelled);
    lock.lock();
  }
}

void SpawnThread::perform(Job job, bool cancelled) {
  SpawnOutcome outcome = std::unexpected(SpawnFailure{.error = ECANCELED});
  if (!cancelled) outcome = start(job.request);
  // The child alone shall hold its ends when the caller learns of it.
  job.request = {};
  job.done(std::move(outcome));
}

SpawnOutcome SpawnThread::start(const SpawnRequest& request) {
  SpawnOutcome outcome = spawn(request, stack_);
  const std::lock_guard lock(mutex_);
  spawning_ = false;
  if (outcome) children_.insert(outcome->pid);
  if (orphans_wait_) reap_orphans_locked();
  return outcome;
}

std::optional<ExitStatus> SpawnThread::exit_status(const SpawnedChild& child) {
  // Reaping frees the number for the next child: both lists must agree on whose it is.
  const std::lock_guard lock(mutex_);
  const auto status = os::exit_status(child.pidfd.get());
  if (!status) return std::nullopt;
  children_.erase(child.pid);
  if (orphans_wait_) reap_orphans_locked();
  return status;
}

void SpawnThread::reap_orphans() {
  const std::lock_guard lock(mutex_);
  reap_orphans_locked();
}

void SpawnThread::reap_orphans_locked() {
  orphans_wait_ = true;
  if (spawning_) return;
  while (const pid_t pid = next_dead_child()) {
    // The kernel shows them one at a time: orphans behind this one have to wait until its owner has reaped it.
    if (children_.contains(pid)) return;
    ::waitid(P_PID, static_cast<id_t>(pid), nullptr, WEXITED | WNOHANG);
  }
  orphans_wait_ = false;
}

}  // namespace outpost::os
