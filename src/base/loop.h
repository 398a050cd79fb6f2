#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/poller.h"

namespace outpost {

class Timer;

using Task = std::move_only_function<void()>;

/// One thread's worth of state and work: descriptors, timers and tasks. Whatever belongs to a loop is touched on its
/// thread only; other threads reach it by `post`.
class Loop {
 public:
  /// Throws std::system_error if the system has no descriptor for it.
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  /// Handles events until `stop`, and then what is ready already; the calling thread is the loop's from then on.
  void run();
  /// Handles what is ready now, and what that makes ready, and returns; for the thread that owns the loop when nothing
  /// else runs it. Returns how many handlers ran, `limits::handlers_after_stop_max` or few more at most.
  std::size_t run_ready();
  /// Waits for events, `patience` at most, handles those that came and returns; as `run_ready` else.
  std::size_t run_some(std::chrono::milliseconds patience);
  /// Makes `run` return, the one at hand or the next one. From any thread.
  void stop();
  /// Runs `task` on the loop, after what is ready now. From any thread; a task posted after the end of `run` may be
  /// dropped.
  void post(Task task);
  /// Destroys what `owner`, a std::unique_ptr or the last std::shared_ptr, holds: from the loop, later. For an object
  /// that may be on the stack, in the handler that told of its end. On the loop only.
  template <class Owner>
  void destroy_later(Owner owner) {
    post([owner = std::move(owner)]() mutable { owner.reset(); });
  }
  /// The time, read anew at each call.
  static MonotonicTime now() { return std::chrono::steady_clock::now(); }

 private:
  friend class Timer;
  friend class Watch;
  using Timers = std::multimap<MonotonicTime, Timer*>;

  /// Handles what is ready, or comes until `patience`, and timers and tasks that are due; returns how many.
  std::size_t turn(MonotonicTime patience);
  void take_remote_tasks();
  std::size_t run_timers();
  std::size_t run_tasks();
  /// Keeps `target`, whose watch is gone, for as long as an event of this turn may name it.
  void retire(std::unique_ptr<PollTarget> target);

  Poller poller_;
  bool polling_ = false;  // targets are being told
  std::vector<std::unique_ptr<PollTarget>> retired_;
  Timers timers_;
  std::vector<Task> tasks_, running_;
  std::atomic<bool> stopped_ = false;

  std::atomic<bool> has_remote_tasks_ = false;
  std::mutex mutex_;  // for what follows
  std::vector<Task> remote_tasks_;
};

/// Calls a function once, later. Belongs to its loop; destroying or restarting it forgets the earlier call for sure.
class Timer {
 public:
  explicit Timer(Loop& loop) : loop_(loop) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  /// Calls `task` after `delay` (as much as the clock can hold, if that is less).
  void start(std::chrono::milliseconds delay, Task task) { start_at(deadline_after(delay), std::move(task)); }
  void start_at(MonotonicTime deadline, Task task);
  void cancel();
  bool running() const { return running_; }

  /// Now + `delay`, kept inside the range of the clock.
  static MonotonicTime deadline_after(std::chrono::milliseconds delay);

 private:
  friend class Loop;
  void disarm();

  Loop& loop_;
  bool running_ = false;
  Loop::Timers::iterator place_;    // while it runs
  Loop::Timers::node_type unused_;  // while it doesn't, and has run before
  Task task_;
};

}  // namespace outpost
