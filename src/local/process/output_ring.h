#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace outpost::local {

/// Memory for the retained output of one process: a ring of whole pages that grows with what is put in, up to a fixed
/// capacity, and is then used again from its start. Nothing is mapped before the first byte.
///
/// Positions are counts of bytes since the beginning; position p lies at p modulo the capacity, so a piece never moves
/// relative to the others and only its owner knows where it begins and ends.
class OutputRing {
 public:
  explicit OutputRing(std::size_t capacity);
  OutputRing(const OutputRing&) = delete;
  OutputRing& operator=(const OutputRing&) = delete;
  ~OutputRing();

  std::size_t capacity() const { return capacity_; }
  /// The longest piece that can be written at `position` without a break.
  std::size_t contiguous_at(std::uint64_t position) const {
    return capacity_ - static_cast<std::size_t>(position % capacity_);
  }
  /// Memory for `size` bytes at `position`, at most `contiguous_at(position)`. Throws std::bad_alloc when there is
  /// none.
  MutableBytes writable(std::uint64_t position, std::size_t size);
  /// What was written there.
  ByteView at(std::uint64_t position, std::size_t size) const;
  /// Gives memory behind `end_position` back; only before the first return to the start. For logs that are complete.
  void trim(std::uint64_t end_position);

 private:
  void map(std::size_t bytes);
  void populate(std::size_t end);

  std::size_t capacity_;
  std::size_t mapped_ = 0;
  std::size_t populated_ = 0;  // from the start, in whole pages
  std::byte* memory_ = nullptr;
};

}  // namespace outpost::local
