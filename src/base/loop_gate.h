#pragma once

#include <mutex>
#include <utility>

#include "base/loop.h"

namespace outpost {

/// The way back to a loop for a thread that may outlive it, because it sits in a read or write that nothing can cut
/// short. Shared between such a thread and its owner on the loop.
class LoopGate {
 public:
  explicit LoopGate(Loop& loop) : loop_(&loop) {}

  /// Posts the task, or drops it if the gate is closed. From any thread.
  void post(Task task) {
    const std::lock_guard lock(mutex_);
    if (loop_ != nullptr) loop_->post(std::move(task));
  }
  /// Before the end of the loop, on it. What was posted may still come.
  void close() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Loop* loop_;
};

}  // namespace outpost
