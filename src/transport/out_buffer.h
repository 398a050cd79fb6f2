#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace outpost::transport {

/// Memory of outgoing buffers that are empty now: a busy connection finds a block that has grown already, and an idle
/// one holds none. One for each loop.
class SpareBuffers {
 public:
  struct Block {
    std::unique_ptr<char[]> data;
    std::size_t capacity = 0;
  };
  Block take();
  /// Keeps the block if there is a place for it and it isn't huge, else frees it.
  void give(Block block);
  std::size_t count() const { return spares_.size(); }

 private:
  std::vector<Block> spares_;
};

/// Bytes on their way out: written at the end in place, taken from the front.
class OutBuffer {
 public:
  explicit OutBuffer(SpareBuffers& spares) : spares_(spares) {}
  OutBuffer(const OutBuffer&) = delete;
  OutBuffer& operator=(const OutBuffer&) = delete;
  ~OutBuffer() { spares_.give(std::move(block_)); }

  /// Room for `bytes` at the end, to be filled by the caller; holds until the next call of any member.
  std::span<char> extend(std::size_t bytes);
  std::string_view pending() const { return {block_.data.get() + begin_, end_ - begin_}; }
  /// As `pending`, to be changed in place (masking).
  std::span<char> last(std::size_t bytes) { return {block_.data.get() + end_ - bytes, bytes}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  /// The first `bytes` were sent. An empty buffer gives its memory back.
  void consume(std::size_t bytes);
  /// Drops everything.
  void clear() { consume(size()); }

 private:
  void make_room(std::size_t bytes);

  SpareBuffers& spares_;
  SpareBuffers::Block block_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace outpost::transport
