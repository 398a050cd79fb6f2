#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace outpost {

using ByteView = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Bytes of a fixed size on the heap, not cleared when made; moves, never copies.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size)
      : data_(size ? std::make_unique_for_overwrite<std::byte[]>(size) : nullptr), size_(size) {}
  static Bytes copy_of(ByteView from) {
    Bytes out(from.size());
    if (!from.empty()) std::memcpy(out.data(), from.data(), from.size());
    return out;
  }
  Bytes(Bytes&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ByteView view() const { return {data_.get(), size_}; }
  MutableBytes whole() { return {data_.get(), size_}; }
  /// Forgets the bytes behind `size`, which must not be larger than before.
  void shrink(std::size_t size) { size_ = size; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

}  // namespace outpost
