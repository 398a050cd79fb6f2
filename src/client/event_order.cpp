#include "client/event_order.h"

#include <utility>

namespace outpost::client {

Result<> EventOrder::add(ProcessEvent event) {
  if (event.seq < next_seq_ || waiting_.contains(event.seq)) return {};
  if (event.bytes.size() > limits::event_bytes_max) {
    return fail(ErrorKind::limit_reached, "event " + std::to_string(event.seq) + " of the process has " +
                                              std::to_string(event.bytes.size()) + " bytes; at most " +
                                              std::to_string(limits::event_bytes_max) + " are taken");
  }
  bytes_ += event.bytes.size();
  const bool in_turn = event.seq == next_seq_;
  if (!in_turn && (waiting_.size() >= limits::events_waiting_max || bytes_ > limits::event_bytes_waiting_max)) {
    return fail(ErrorKind::limit_reached, "event " + std::to_string(next_seq_) +
                                              " of the process is missing, and too much "
                                              "came after it");
  }
  waiting_.emplace(event.seq, std::move(event));
  return {};
}

std::optional<ProcessEvent> EventOrder::next() {
  const auto first = waiting_.find(next_seq_);
  if (first == waiting_.end()) return std::nullopt;
  ProcessEvent event = std::move(first->second);
  waiting_.erase(first);
  bytes_ -= event.bytes.size();
  ++next_seq_;
  return event;
}

}  // namespace outpost::client
