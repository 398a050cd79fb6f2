#pragma once

#include <functional>
#include <memory>

#include "base/limits/processes.h"
#include "base/loop.h"
#include "base/watch.h"
#include "local/process/gather_policy.h"
#include "local/process/output_log.h"
#include "os/fd.h"

namespace outpost::local {

/// Takes the output of one stream of a process into its log, as fast as it comes while `set_flowing` is on and the log
/// has room.
class OutputReader {
 public:
  struct Events {
    std::function<void()> on_output;  ///< the log has new entries
    std::function<void()> on_end;     ///< the last writer is gone; nothing more comes
  };

  /// Takes over a non-blocking descriptor. `scratch` is what one turn reads into, up to its size; readers of one loop
  /// share it. It and `log` must outlive the reader.
  OutputReader(Loop& loop, os::FileDescriptor fd, capability::OutputStream stream, OutputLog& log, MutableBytes scratch,
               Events events);

  /// False if the system had no room for one more watch: then it is of no use.
  bool watched() const { return watch_ != nullptr || ended(); }
  void set_flowing(bool flowing);
  /// The log may have room again, or need none: a reader that waits for it goes on, from the loop.
  void on_room();
  /// The program got input: its next output isn't kept waiting to gather.
  void input_given() { gather_.input_given(); }
  /// Takes what is there now, up to a pipe full, without waiting for the loop to say so; nothing while not flowing.
  void drain();
  /// From now on the first moment without output is the end, whoever still holds the stream; so is a pipe full of it.
  void end_when_empty();
  /// No more is taken; the descriptor is closed. `on_end` isn't called.
  void close();
  bool ended() const { return !fd_; }
  /// Of what is read; not after the end.
  int descriptor() const { return fd_.get(); }

 private:
  enum class Until { lone_piece, empty };
  enum class Step { more, empty, end };
  void on_readable();
  void await_more();
  void read_at(MonotonicTime time);
  /// Takes one scratch full, or less, into the log; adds what it took to `taken`.
  Step take(Until until, std::size_t& taken);
  Step fill(Until until, std::size_t most, std::size_t& filled);
  void enlarge_pipe();
  /// The end, or the emptiness that counts as one, was reached.
  bool over(Step step) const;
  void finish();

  Loop& loop_;
  os::FileDescriptor fd_;
  capability::OutputStream stream_;
  OutputLog& log_;
  MutableBytes scratch_;
  Events events_;
  bool flowing_ = true;
  bool starved_ = false;  // waits for room in the log
  bool ending_ = false;
  bool enlarged_ = false;  // or refused
  std::size_t pipe_bytes_ = limits::default_pipe_bytes;
  std::size_t ending_bytes_ = 0;  // taken since `end_when_empty`
  GatherPolicy gather_;
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Timer> gather_timer_;  // made when first needed: most processes never do
};

}  // namespace outpost::local
