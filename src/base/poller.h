#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "base/limits/loops.h"
#include "base/result.h"

struct epoll_event;

namespace outpost {

/// Who is told that a descriptor is ready.
class PollTarget {
 public:
  virtual ~PollTarget() = default;
  /// `events` are those of epoll(7).
  virtual void on_events(std::uint32_t events) = 0;
};

using MonotonicTime = std::chrono::steady_clock::time_point;

/// A thin epoll(7), level-triggered, with a way to wake it from other threads. `wake` alone may be called from any
/// thread.
///
/// A deadline that is far is given to a timerfd(2) and stays there, though it may have become later: a wait with a
/// time-out would cost the kernel a timer set and cancelled each time.
class Poller {
 public:
  /// Throws std::system_error if the system has no descriptor for it.
  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  Result<> add(int fd, std::uint32_t events, PollTarget& target);
  void modify(int fd, std::uint32_t events, PollTarget& target);
  void remove(int fd);

  /// What is ready now, without waiting; tells the targets. A target must stay until this returns, once it was added.
  /// Returns how many were told.
  std::size_t poll() { return take(std::chrono::nanoseconds(0)); }
  /// As `poll`, after waiting for events, until `deadline` at most.
  std::size_t poll_until(MonotonicTime deadline);
  /// False: surely not. Doesn't look at the clock.
  bool may_be_over(MonotonicTime deadline) const { return deadline < armed_; }
  /// Makes the wait at hand, or the next one, return at once.
  void wake();

 private:
  void watch_own(int fd, int* mark);
  void arm(MonotonicTime deadline);
  std::size_t take(std::optional<std::chrono::nanoseconds> timeout);
  int wait(std::span<epoll_event> events, std::optional<std::chrono::nanoseconds> timeout);
  void on_own_event(const int* mark);
  void close_all();

  int epoll_fd_ = -1, wake_fd_ = -1, timer_fd_ = -1;
  MonotonicTime armed_ = MonotonicTime::max();  // when the timer rings
  bool has_fine_wait_ = true;                   // epoll_pwait2: Linux 5.11
};

}  // namespace outpost
