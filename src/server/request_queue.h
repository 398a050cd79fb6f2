#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "base/limits.h"
#include "rpc/reply.h"

namespace outpost::server {

/// Requests of one connection that wait for others to be answered, because `--concurrent-requests` limits how many run
/// at a time (processes-and-sessions 4.2). They are kept as text, in order of arrival. Pure.
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
  void wait(std::string text, rpc::Reply reply) {
    bytes_ += text.size();
    waiting_.push_back({std::move(text), std::move(reply)});
  }
  /// So much waits that the connection should not be read.
  bool full() const { return bytes_ > limits::queued_request_bytes_max; }
  /// A request that began by `try_begin` or `next` was answered.
  void finished() { --running_; }

  struct Waiting {
    std::string text;
    rpc::Reply reply;
  };
  /// The one that waits longest, if it may begin now; it then runs until `finished`.
  std::optional<Waiting> next() {
    if (waiting_.empty() || running_ >= *limit_) return std::nullopt;
    Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= first.text.size();
    ++running_;
    return first;
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::optional<std::size_t> limit_;
  std::size_t running_ = 0;
  std::size_t bytes_ = 0;  // of those that wait
  std::deque<Waiting> waiting_;
};

}  // namespace outpost::server
