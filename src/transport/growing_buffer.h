#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace outpost::transport {

/// Bytes of one message as they come in. Grows by `realloc`, which moves big blocks by their pages: a message of many
/// megabytes is not copied again and again, and never held twice.
class GrowingBuffer {
 public:
  /// Makes room for `bytes` (more than none) behind what is there and returns its place; the caller fills all of it
  /// before it reads. At most doubles, but never beyond `final_bytes` where that is enough. Throws std::bad_alloc.
  char* extend(std::size_t bytes, std::size_t final_bytes);
  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  /// Forgets the bytes, keeps the memory.
  void clear() { size_ = 0; }
  /// Forgets the bytes and gives the memory back.
  void release();

 private:
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace outpost::transport
