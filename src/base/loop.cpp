#include "base/loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "base/limits/loops.h"

namespace outpost {

Loop::Loop() : context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO) {}

void Loop::run() {
  {
    auto work = boost::asio::make_work_guard(context_);
    context_.run();
  }
  // What was posted before the stop owns things that use this loop to end; it must not be left to the destructor.
  run_ready();
}

void Loop::run_ready() {
  context_.restart();
  for (int handlers = 0; handlers < limits::handlers_after_stop_max && context_.poll_one() > 0; ++handlers) {
  }
}

void Loop::stop() {
  context_.stop();
}

void Loop::post(Task task) {
  boost::asio::post(context_, std::move(task));
}

Timer::Timer(Loop& loop) : timer_(loop.context()), state_(std::make_shared<State>()) {}

Timer::~Timer() {
  cancel();
}

MonotonicTime Timer::deadline_after(std::chrono::milliseconds delay) {
  return Loop::now() + std::min<std::chrono::milliseconds>(delay, limits::timer_delay_max);
}

void Timer::start_at(MonotonicTime deadline, Task task) {
  const std::uint64_t generation = ++state_->generation;
  state_->armed = true;
  state_->task = std::move(task);
  timer_.expires_at(deadline);
  timer_.async_wait([state = state_, generation](const boost::system::error_code&) {
    // A handler that was already queued when the timer was restarted or destroyed still comes here.
    if (!state->armed || state->generation != generation) return;
    state->armed = false;
    Task due = std::move(state->task);
    due();
  });
}

void Timer::cancel() {
  if (!state_->armed) return;
  state_->armed = false;
  ++state_->generation;
  state_->task = nullptr;
  timer_.cancel();
}

}  // namespace outpost
