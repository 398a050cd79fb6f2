#include "transport/growing_buffer.h"

#include <algorithm>
#include <new>

namespace outpost::transport {

char* GrowingBuffer::extend(std::size_t bytes, std::size_t final_bytes) {
  const std::size_t needed = size_ + bytes;
  if (needed > capacity_) {
    const std::size_t capacity = std::max(needed, std::min(2 * capacity_, final_bytes));
    auto* grown = static_cast<char*>(std::realloc(data_.get(), capacity));
    if (grown == nullptr) throw std::bad_alloc();
    // realloc took the old block over.
    (void)data_.release();
    data_.reset(grown);
    capacity_ = capacity;
  }
  char* place = data_.get() + size_;
  size_ = needed;
  return place;
}

void GrowingBuffer::release() {
  data_.reset();
  size_ = 0;
  capacity_ = 0;
}

}  // namespace outpost::transport
