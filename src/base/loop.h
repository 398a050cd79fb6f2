#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace outpost {

using MonotonicTime = std::chrono::steady_clock::time_point;
using Task = std::move_only_function<void()>;

/// One thread's worth of state and work: a single-threaded `io_context`. Whatever belongs to a loop is touched on its
/// thread only; other threads reach it by `post`.
class Loop {
 public:
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Handles events until `stop`, and then what is ready already; the calling thread is the loop's from then on.
  void run();
  /// Handles what is ready now and returns; for the thread that owns the loop when nothing else runs it.
  void run_ready();
  /// Makes `run` return after the handler at hand. From any thread.
  void stop();
  /// Runs `task` on the loop, after what is ready now. From any thread; a task posted after `stop` is dropped.
  void post(Task task);
  /// Destroys what `owner`, a std::unique_ptr or the last std::shared_ptr, holds: from the loop, later. For an object
  /// that may be on the stack, in the handler that told of its end. On the loop only.
  template <class Owner>
  void destroy_later(Owner owner) {
    post([owner = std::move(owner)]() mutable { owner.reset(); });
  }
  /// The time, read anew at each call.
  static MonotonicTime now() { return std::chrono::steady_clock::now(); }

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_;
};

/// Calls a function once, later. Belongs to its loop; destroying or restarting it forgets the earlier call for sure.
class Timer {
 public:
  explicit Timer(Loop& loop);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  /// Calls `task` after `delay` (as much as the clock can hold, if that is less).
  void start(std::chrono::milliseconds delay, Task task) { start_at(deadline_after(delay), std::move(task)); }
  void start_at(MonotonicTime deadline, Task task);
  void cancel();
  bool running() const { return state_ && state_->armed; }

  /// Now + `delay`, kept inside the range of the clock.
  static MonotonicTime deadline_after(std::chrono::milliseconds delay);

 private:
  struct State {
    std::uint64_t generation = 0;
    bool armed = false;
    Task task;
  };
  boost::asio::steady_timer timer_;
  std::shared_ptr<State> state_;  // shared with the handlers under way, which may outlive the timer
};

}  // namespace outpost
