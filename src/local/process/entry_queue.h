#pragma once

#include <cstdint>
#include <vector>

#include "capability/process_host.h"

namespace outpost::local {

/// In the place of an offset: the client has the entry.
inline constexpr std::uint64_t proved_offset = UINT64_MAX;

/// One piece of output in the log.
struct Entry {
  std::uint64_t seq = 0;
  std::uint64_t position = 0;     ///< in the ring
  std::uint64_t sent_offset = 0;  ///< where its first frame ended on this connection; 0: not sent; or `proved_offset`
  std::uint32_t size = 0;
  capability::OutputStream stream{};
};

/// A queue of entries in one block that doubles when it is full. Most processes have a handful of entries, so it begins
/// small; std::deque would take 512 bytes and a map for each.
class EntryQueue {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Entry& operator[](std::size_t index) const { return slots_[(head_ + index) & (slots_.size() - 1)]; }
  Entry& operator[](std::size_t index) { return slots_[(head_ + index) & (slots_.size() - 1)]; }
  const Entry& front() const { return (*this)[0]; }
  void push_back(const Entry& entry) {
    if (size_ == slots_.size()) grow();
    ++size_;
    (*this)[size_ - 1] = entry;
  }
  void pop_front() {
    head_ = (head_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<Entry> larger(slots_.empty() ? 4 : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<Entry> slots_;  // its size is a power of two
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace outpost::local
