#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <chrono>

#include "base/loop.h"

namespace outpost::testing {

/// Handles the events of `loop` on this thread until `done()` holds; false after a time that means a failed test, never
/// a slow machine.
template <class Predicate>
bool run_until(Loop& loop, Predicate done) {
  const auto deadline = Loop::now() + std::chrono::seconds(60);
  const auto work = boost::asio::make_work_guard(loop.context());
  loop.context().restart();  // it stops by itself where it has nothing to wait for
  while (!done()) {
    if (Loop::now() > deadline) return false;
    loop.context().run_one_for(std::chrono::milliseconds(50));
  }
  return true;
}

/// Handles what is ready now, and what that makes ready.
inline void run_ready(Loop& loop) {
  const auto work = boost::asio::make_work_guard(loop.context());
  loop.context().restart();  // it stops by itself where it has nothing to wait for
  while (loop.context().poll_one() > 0) {
  }
}

}  // namespace outpost::testing
