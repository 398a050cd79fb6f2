#pragma once

#include <cstddef>
#include <memory>

#include "base/loop.h"

namespace outpost::local {

/// Threads for what may block: a thread is made when there is work for it, and ends when there was none for a while.
/// No share has more than a part of them, and what takes long in none more than a part of that, so that neither a file
/// system that hangs nor long walks keep others waiting. From any thread.
class WorkerPool {
 public:
  enum class Lane { quick, slow };
  /// The part of one connection.
  struct Share;

  /// At most `threads_max` threads, at least 1.
  explicit WorkerPool(std::size_t threads_max);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  /// Drops what hasn't begun. Waits for what has, at most `limits::file_workers_end_wait`; what hangs is left alone.
  ~WorkerPool();

  std::shared_ptr<Share> make_share();
  /// Runs `work` on a thread, in order of arrival within its lane. False if there is no thread and none can be made:
  /// then nothing was taken.
  bool submit(const std::shared_ptr<Share>& share, Lane lane, Task work);
  /// While false, nothing of the share begins.
  void set_flowing(const std::shared_ptr<Share>& share, bool flowing);
  /// Drops what hasn't begun of the share.
  void drop(const std::shared_ptr<Share>& share);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads, of which one that hangs outlives the pool
};

}  // namespace outpost::local
