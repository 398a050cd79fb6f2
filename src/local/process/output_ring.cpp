#include "local/process/output_ring.h"

#include <algorithm>
#include <new>

#include "base/check.h"
#include "base/limits/processes.h"
#include "os/memory.h"

namespace outpost::local {

namespace {
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t first_map_bytes = 64 * 1024;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}
}  // namespace

OutputRing::OutputRing(std::size_t capacity) : capacity_(capacity) {
  OUTPOST_CHECK(capacity > 0);
}

OutputRing::~OutputRing() {
  if (memory_ != nullptr) os::unmap_memory(memory_, mapped_);
}

MutableBytes OutputRing::writable(std::uint64_t position, std::size_t size) {
  OUTPOST_DCHECK(size <= contiguous_at(position));
  const std::size_t offset = static_cast<std::size_t>(position % capacity_);
  if (offset + size > mapped_) {
    map(std::min(whole_pages(capacity_), std::max({whole_pages(offset + size), mapped_ * 2, first_map_bytes})));
  }
  populate(offset + size);
  return {memory_ + offset, size};
}

// A page fault for each page costs more than the page: several are asked for at once, as many again as there are, so
// that a program that prints little takes little.
void OutputRing::populate(std::size_t end) {
  if (end <= populated_) return;
  const std::size_t ahead = populated_ + std::min(populated_, limits::output_populate_bytes);
  const std::size_t target = std::min(mapped_, std::max(whole_pages(end), ahead));
  if (target - populated_ > page_bytes) os::populate_memory(memory_ + populated_, target - populated_);
  populated_ = target;
}

ByteView OutputRing::at(std::uint64_t position, std::size_t size) const {
  return {memory_ + static_cast<std::size_t>(position % capacity_), size};
}

void OutputRing::trim(std::uint64_t end_position) {
  if (memory_ == nullptr || end_position > capacity_) return;
  const std::size_t kept = std::max(page_bytes, whole_pages(static_cast<std::size_t>(end_position)));
  if (kept < mapped_) map(kept);
}

void OutputRing::map(std::size_t bytes) {
  std::byte* memory = memory_ == nullptr ? os::map_memory(bytes) : os::remap_memory(memory_, mapped_, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  memory_ = memory;
  mapped_ = bytes;
  populated_ = std::min(populated_, mapped_);
}

}  // namespace outpost::local
