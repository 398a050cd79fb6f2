#include "transport/out_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/limits/connections.h"

namespace outpost::transport {

namespace {
constexpr std::size_t first_block_bytes = 2048;
}

SpareBuffers::Block SpareBuffers::take() {
  if (spares_.empty()) return {};
  Block block = std::move(spares_.back());
  spares_.pop_back();
  return block;
}

void SpareBuffers::give(Block block) {
  if (block.capacity == 0 || block.capacity > limits::spare_buffer_bytes_max) return;
  if (spares_.size() < limits::spare_buffers_max) return spares_.push_back(std::move(block));
  const auto smallest = std::ranges::min_element(spares_, {}, &Block::capacity);
  if (smallest->capacity < block.capacity) *smallest = std::move(block);
}

std::span<char> OutBuffer::extend(std::size_t bytes) {
  if (end_ + bytes > block_.capacity) make_room(bytes);
  const std::span<char> room(block_.data.get() + end_, bytes);
  end_ += bytes;
  return room;
}

void OutBuffer::consume(std::size_t bytes) {
  OUTPOST_CHECK(bytes <= size());
  begin_ += bytes;
  if (begin_ != end_) return;
  begin_ = end_ = 0;
  spares_.give(std::exchange(block_, {}));
}

void OutBuffer::make_room(std::size_t bytes) {
  if (block_.capacity == 0) block_ = spares_.take();
  const std::size_t held = size();
  // What was sent is given up before the block grows: a slow reader of much output stays in one block. Half of what is
  // held must be free behind it afterwards, else every little piece would move all the rest.
  const std::size_t wanted = held + held / 2 + bytes;
  if (wanted <= block_.capacity) {
    if (held > 0) std::memmove(block_.data.get(), block_.data.get() + begin_, held);
  } else {
    const std::size_t capacity = std::max(first_block_bytes, std::bit_ceil(wanted));
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (held > 0) std::memcpy(larger.get(), block_.data.get() + begin_, held);
    block_ = {std::move(larger), capacity};
  }
  begin_ = 0;
  end_ = held;
}

}  // namespace outpost::transport
