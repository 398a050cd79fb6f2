#include "base/loop.h"

#include <algorithm>
#include <iterator>

namespace outpost {

namespace {

/// The loop whose handlers this thread runs.
thread_local const Loop* current_loop = nullptr;

class CurrentLoop {
 public:
  explicit CurrentLoop(const Loop& loop) : before_(std::exchange(current_loop, &loop)) {}
  CurrentLoop(const CurrentLoop&) = delete;
  CurrentLoop& operator=(const CurrentLoop&) = delete;
  ~CurrentLoop() { current_loop = before_; }

 private:
  const Loop* before_;
};

}  // namespace

Loop::Loop() = default;

Loop::~Loop() {
  // What a dropped task owns may post another one, or use the loop else to end.
  while (true) {
    take_remote_tasks();
    if (tasks_.empty()) return;
    std::exchange(tasks_, {}).clear();
  }
}

void Loop::run() {
  {
    const CurrentLoop current(*this);
    while (!stopped_.load(std::memory_order_acquire)) turn(MonotonicTime::max());
    stopped_ = false;
  }
  // What was posted before the stop owns things that use this loop to end; it must not be left to the destructor.
  run_ready();
}

std::size_t Loop::run_ready() {
  const CurrentLoop current(*this);
  std::size_t handlers = 0;
  while (handlers < limits::handlers_after_stop_max) {
    const std::size_t more = turn(MonotonicTime());
    if (more == 0) break;
    handlers += more;
  }
  return handlers;
}

std::size_t Loop::run_some(std::chrono::milliseconds patience) {
  const CurrentLoop current(*this);
  return turn(now() + patience);
}

void Loop::stop() {
  stopped_.store(true, std::memory_order_release);
  if (current_loop != this) poller_.wake();
}

void Loop::post(Task task) {
  if (current_loop == this) return tasks_.push_back(std::move(task));
  const std::lock_guard lock(mutex_);
  remote_tasks_.push_back(std::move(task));
  if (!has_remote_tasks_.exchange(true)) poller_.wake();
}

void Loop::take_remote_tasks() {
  if (!has_remote_tasks_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  has_remote_tasks_ = false;
  std::ranges::move(remote_tasks_, std::back_inserter(tasks_));
  remote_tasks_.clear();
}

std::size_t Loop::turn(MonotonicTime patience) {
  take_remote_tasks();
  if (!timers_.empty()) patience = std::min(patience, timers_.begin()->first);
  polling_ = true;
  std::size_t handlers = tasks_.empty() ? poller_.poll_until(patience) : poller_.poll();
  polling_ = false;
  retired_.clear();
  handlers += run_timers();
  return handlers + run_tasks();
}

std::size_t Loop::run_timers() {
  if (timers_.empty() || !poller_.may_be_over(timers_.begin()->first)) return 0;
  const MonotonicTime due = now();
  std::size_t handlers = 0;
  // One that is started anew while these run waits for the next turn, even if it is due.
  for (std::size_t most = timers_.size(); handlers < most && !timers_.empty(); ++handlers) {
    if (timers_.begin()->first > due) break;
    Timer& timer = *timers_.begin()->second;
    timer.disarm();
    Task task = std::move(timer.task_);
    task();  // which may end the timer
  }
  return handlers;
}

std::size_t Loop::run_tasks() {
  running_.swap(tasks_);
  for (Task& task : running_) {
    Task next = std::move(task);  // it goes as soon as it has run, with what it owns
    next();
  }
  const std::size_t handlers = running_.size();
  running_.clear();
  if (running_.capacity() > limits::task_slots_kept) running_.shrink_to_fit();
  return handlers;
}

void Loop::retire(std::unique_ptr<PollTarget> target) {
  if (polling_) retired_.push_back(std::move(target));
}

MonotonicTime Timer::deadline_after(std::chrono::milliseconds delay) {
  return Loop::now() + std::min<std::chrono::milliseconds>(delay, limits::timer_delay_max);
}

void Timer::start_at(MonotonicTime deadline, Task task) {
  if (running_) disarm();
  task_ = std::move(task);
  running_ = true;
  if (unused_.empty()) {
    place_ = loop_.timers_.emplace(deadline, this);
  } else {
    unused_.key() = deadline;
    place_ = loop_.timers_.insert(std::move(unused_));
  }
}

void Timer::cancel() {
  if (!running_) return;
  disarm();
  task_ = nullptr;
}

void Timer::disarm() {
  running_ = false;
  unused_ = loop_.timers_.extract(place_);
}

}  // namespace outpost
