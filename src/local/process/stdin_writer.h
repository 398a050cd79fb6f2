#pragma once

#include <memory>

#include "base/loop.h"
#include "base/watch.h"
#include "local/process/stdin_queue.h"
#include "os/fd.h"

namespace outpost::local {

/// Feeds the stdin of a process from its queue.
class StdinWriter {
 public:
  /// Takes over the write end, non-blocking.
  StdinWriter(Loop& loop, os::FileDescriptor fd);
  StdinWriter(const StdinWriter&) = delete;
  StdinWriter& operator=(const StdinWriter&) = delete;
  ~StdinWriter() { *alive_ = false; }

  /// False if the system had no room for one more watch: then it is of no use.
  bool watched() const { return watch_ != nullptr || !fd_; }
  void write(capability::WriteRequest request, capability::WriteDone done);
  /// See `StdinQueue::abandon_waiting`.
  void abandon_waiting() { queue_.abandon_waiting(); }
  /// Closes the pipe behind what was written; safe to repeat.
  void close();
  /// Drops what is queued; this and every later write gets `outcome`.
  void end(Result<wire::WriteStatus> outcome);

 private:
  void pump();
  /// After what the loop has in hand, so that the chunks of one wake-up go in one system call.
  void pump_later();

  Loop& loop_;
  os::FileDescriptor fd_;
  StdinQueue queue_;
  bool enlarged_ = false;
  bool pump_posted_ = false;
  std::unique_ptr<Watch> watch_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace outpost::local
