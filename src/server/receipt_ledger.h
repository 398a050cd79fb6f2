#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/limits/receipts.h"

namespace outpost::server {

/// The marks of one kind on one connection: numbered from 1, each at an offset of the outgoing bytes, each proving by
/// its answer that all before it has arrived (extensions 5.1). Pure.
class ReceiptLedger {
 public:
  /// A message that is to be proved, of so many bytes, was sent; true if a mark is due behind it.
  bool sent(std::size_t bytes) {
    unmarked_bytes_ += bytes;
    return due();
  }
  bool due() const { return unmarked_bytes_ >= limits::bytes_between_marks && may_mark(); }
  /// False while `limits::marks_outstanding_max` wait for their answer.
  bool may_mark() const { return outstanding_.size() < limits::marks_outstanding_max; }
  /// The number that the next mark must carry.
  std::uint64_t next() const { return last_ + 1; }
  /// The mark of number `next` was sent and ends at `offset`.
  void marked(std::uint64_t offset) {
    outstanding_.push_back({.number = ++last_, .offset = offset});
    unmarked_bytes_ = 0;
  }
  /// A mark was answered, and so are all before it; the offset up to which everything has arrived. None if that mark
  /// doesn't wait for an answer.
  std::optional<std::uint64_t> prove(std::uint64_t number) {
    if (outstanding_.empty() || number < outstanding_.front().number || number > last_) return std::nullopt;
    std::uint64_t offset = 0;
    while (!outstanding_.empty() && outstanding_.front().number <= number) {
      offset = outstanding_.front().offset;
      outstanding_.pop_front();
    }
    return offset;
  }
  bool was_sent(std::uint64_t number) const { return number >= 1 && number <= last_; }
  bool outstanding() const { return !outstanding_.empty(); }
  /// A mark waits for its answer that proves what ended at `offset`.
  bool covers(std::uint64_t offset) const { return !outstanding_.empty() && outstanding_.back().offset >= offset; }

 private:
  struct Mark {
    std::uint64_t number, offset;
  };
  std::deque<Mark> outstanding_;
  std::uint64_t last_ = 0;
  std::size_t unmarked_bytes_ = 0;
};

}  // namespace outpost::server
