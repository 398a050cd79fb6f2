#pragma once

#include <chrono>

#include "base/loop.h"

namespace outpost::testing {

/// Handles the events of `loop` on this thread until `done()` holds; false after a time that means a failed test, never
/// a slow machine.
template <class Predicate>
bool run_until(Loop& loop, Predicate done) {
  const auto deadline = Loop::now() + std::chrono::seconds(60);
  while (!done()) {
    if (Loop::now() > deadline) return false;
    loop.run_some(std::chrono::milliseconds(50));
  }
  return true;
}

/// Handles what is ready now, and what that makes ready.
inline void run_ready(Loop& loop) {
  loop.run_ready();
}

}  // namespace outpost::testing
