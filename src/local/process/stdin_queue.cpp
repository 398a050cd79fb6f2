#include "local/process/stdin_queue.h"

#include <utility>

#include "base/check.h"
#include "base/limits.h"

namespace outpost::local {

using capability::WriteDone;
using capability::WriteRequest;
using wire::WriteStatus;

void StdinQueue::offer(WriteRequest request, WriteDone done) {
  if (ids_.contains(request.write_id)) return done(WriteStatus::accepted);
  if (ended_) return done(*ended_);
  if (closing_) return done(WriteStatus::stdin_closed);
  if (!waiting_.empty() || !has_room(request.bytes.size())) {
    waiting_.push_back({std::move(request), std::move(done)});
    return;
  }
  take(std::move(request));
  done(WriteStatus::accepted);
}

ByteView StdinQueue::front() const {
  return chunks_.empty() ? ByteView{} : chunks_.front().view().subspan(front_offset_);
}

void StdinQueue::consume(std::size_t bytes) {
  OUTPOST_CHECK(!chunks_.empty() && front_offset_ + bytes <= chunks_.front().size());
  front_offset_ += bytes;
  bytes_ -= bytes;
  if (front_offset_ < chunks_.front().size()) return;
  chunks_.pop_front();
  front_offset_ = 0;
  admit_waiting();
}

void StdinQueue::end(Result<WriteStatus> outcome) {
  if (ended_) return;
  ended_ = std::make_unique<Result<WriteStatus>>(std::move(outcome));
  chunks_.clear();
  bytes_ = front_offset_ = 0;
  for (auto& waiting : std::exchange(waiting_, {})) waiting.done(*ended_);
}

bool StdinQueue::has_room(std::size_t size) const {
  return chunks_.empty() || (chunks_.size() < limits::stdin_chunks_max && bytes_ + size <= limits::stdin_bytes_max);
}

void StdinQueue::take(WriteRequest request) {
  ids_.remember(request.write_id);
  if (request.bytes.empty()) return;
  bytes_ += request.bytes.size();
  chunks_.push_back(std::move(request.bytes));
}

void StdinQueue::admit_waiting() {
  while (!waiting_.empty()) {
    Waiting& next = waiting_.front();
    const bool repeated = ids_.contains(next.request.write_id);
    if (!repeated && !has_room(next.request.bytes.size())) return;
    // `done` may offer the next write, so the queue is in order before it is called.
    WriteDone done = std::move(next.done);
    WriteRequest request = std::move(next.request);
    waiting_.pop_front();
    if (!repeated) take(std::move(request));
    done(WriteStatus::accepted);
  }
}

}  // namespace outpost::local
