#pragma once

#include <functional>
#include <memory>

#include "base/bytes.h"
#include "base/loop.h"

namespace outpost::apps {

/// Writes to our stdout and stderr, in one order for both, from a thread of its own: whoever reads them may stop for as
/// long as he likes, and the mode of his descriptors isn't ours to change. Belongs to its loop.
class RunOutput {
 public:
  /// Called on the loop.
  struct Events {
    std::function<void()> on_room;     ///< it is not full any more
    std::function<void()> on_drained;  ///< everything is written that there was; once for each `drained` that was false
    /// Nothing more goes to stdout, told once; errno. What stderr doesn't take is discarded without a word.
    std::function<void(int error)> on_stdout_failed;
  };
  struct Descriptors {
    int output = 1;
    int errors = 2;
  };
  enum class Stream { output, errors };

  RunOutput(Loop& loop, Descriptors descriptors, Events events);
  RunOutput(const RunOutput&) = delete;
  RunOutput& operator=(const RunOutput&) = delete;
  /// What isn't written yet is lost.
  ~RunOutput();

  /// Takes bytes in any state; who asks `full` first keeps our memory bounded.
  void write(Stream stream, Bytes bytes);
  /// More than `limits::output_bytes_ahead` wait; `on_room` tells the end of that.
  bool full() const;
  /// Nothing waits; if something does, `on_drained` will come.
  bool drained();

 private:
  struct Shared;
  class Writer;
  std::shared_ptr<Shared> shared_;  // shared with the thread, which may sit in a write for ever
};

}  // namespace outpost::apps
