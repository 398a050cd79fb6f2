#pragma once

#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "capability/process_host.h"
#include "local/process/write_ids.h"

namespace outpost::local {

/// What waits to be written to the stdin of one process, in order, and who waits for room (processes-and-sessions 8.1).
/// A write is answered when its bytes are in the queue, not when they are in the pipe. At most
/// `limits::stdin_chunks_max` chunks and `limits::stdin_bytes_max` bytes are queued, but one chunk of any size when
/// nothing is; later writes wait their turn. Pure.
class StdinQueue {
 public:
  /// Calls `done` now if the chunk is taken or its id is known, else when there is room or the queue ends.
  void offer(capability::WriteRequest request, capability::WriteDone done);

  /// What is to be written next, in pieces that follow each other: how many of `pieces` were filled.
  std::size_t front(std::span<ByteView> pieces) const;
  /// The next `bytes` were written. Those who waited for the room are answered.
  void consume(std::size_t bytes);

  /// Forgets those who wait for room, unanswered; what was taken is still written.
  void abandon_waiting() { std::exchange(waiting_, {}).clear(); }
  /// No more writes after this one: later ones get `stdin_closed`, those before it are still written.
  void close() { closing_ = true; }
  /// All that was before `close` is written.
  bool drained() const { return closing_ && chunks_.empty() && waiting_.empty(); }
  /// Nothing can be written any more: what is queued is dropped, and those who wait and all who come get `outcome`,
  /// but a repetition of an accepted write is still accepted. A failure replaces an earlier status.
  void end(Result<wire::WriteStatus> outcome);

  std::size_t chunks() const { return chunks_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    capability::WriteRequest request;
    capability::WriteDone done;
  };
  bool has_room(std::size_t size) const;
  void take(capability::WriteRequest request);
  void admit_waiting();

  std::deque<Bytes> chunks_;
  std::size_t front_offset_ = 0;  // how much of the first chunk is written
  std::size_t bytes_ = 0;         // not yet written, over all chunks
  std::deque<Waiting> waiting_;
  WriteIds ids_;
  bool closing_ = false;
  std::unique_ptr<Result<wire::WriteStatus>> ended_;
};

}  // namespace outpost::local
