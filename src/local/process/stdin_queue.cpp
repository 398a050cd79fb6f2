#include "local/process/stdin_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/limits/processes.h"

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

std::size_t StdinQueue::front(std::span<ByteView> pieces) const {
  const std::size_t count = std::min(pieces.size(), chunks_.size());
  for (std::size_t i = 0; i < count; ++i) pieces[i] = chunks_[i].view().subspan(i == 0 ? front_offset_ : 0);
  return count;
}

void StdinQueue::consume(std::size_t bytes) {
  OUTPOST_CHECK(bytes <= bytes_);
  bytes_ -= bytes;
  front_offset_ += bytes;
  const std::size_t before = chunks_.size();
  while (!chunks_.empty() && front_offset_ >= chunks_.front().size()) {
    front_offset_ -= chunks_.front().size();
    chunks_.pop_front();
  }
  if (chunks_.size() < before) admit_waiting();
}

void StdinQueue::end(Result<WriteStatus> outcome) {
  // That it was ended tells more than that it had closed its stdin before.
  if (ended_ && (!*ended_ || outcome)) return;
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
