#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "rpc/reply.h"

namespace outpost::server {

/// Requests of one connection that wait for others to be answered, because `--concurrent-requests` limits how many run
/// at a time (processes-and-sessions 4.2). They are kept as text, in order of arrival; the peer bounds their number and
/// bytes. Pure.
class RequestQueue {
 public:
  /// `limit`: how many may run at a time; none: any number.
  explicit RequestQueue(std::optional<std::size_t> limit) : limit_(limit) {}

  /// One at a time: then every request counts, and the order is strict.
  bool strict() const { return limit_ == std::size_t{1}; }
  bool limited() const { return limit_.has_value(); }
  /// True if a request that counts may begin now; it then runs until `finished`.
  bool try_begin() {
    if (!limit_) return true;
    if (running_ >= *limit_ || !waiting_.empty()) return false;
    ++running_;
    return true;
  }
  struct Waiting {
    std::uint64_t number;
    std::string text;
    rpc::Reply reply;
  };
  /// The number of the next one that waits.
  std::uint64_t next_number() const { return next_number_; }
  void wait(std::string text, rpc::Reply reply) {
    waiting_.push_back({next_number_++, std::move(text), std::move(reply)});
  }
  /// Takes one out that still waits.
  std::optional<rpc::Reply> remove(std::uint64_t number) {
    const auto found = std::ranges::find(waiting_, number, &Waiting::number);
    if (found == waiting_.end()) return std::nullopt;
    rpc::Reply reply = std::move(found->reply);
    // Replies are moved, never assigned.
    std::deque<Waiting> others;
    for (Waiting& waiting : waiting_) {
      if (waiting.number != number) others.push_back(std::move(waiting));
    }
    waiting_.swap(others);
    return reply;
  }
  /// A request that began by `try_begin` or `next` was answered.
  void finished() { --running_; }

  /// The one that waits longest, if it may begin now; it then runs until `finished`.
  std::optional<Waiting> next() {
    if (waiting_.empty() || running_ >= *limit_) return std::nullopt;
    Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    return first;
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::optional<std::size_t> limit_;
  std::size_t running_ = 0;
  std::uint64_t next_number_ = 1;
  std::deque<Waiting> waiting_;
};

}  // namespace outpost::server
