#pragma once

#include <atomic>
#include <cstddef>

namespace outpost::capability {

/// How much all processes retain together (processes-and-sessions 3.2). Shared by the loops; from any thread. The count
/// may pass the bound by what each loop is taking at the moment.
class RetainedBudget {
 public:
  explicit RetainedBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  void add(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void remove(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  /// Nothing may be added any more but what takes the place of something.
  bool full() const { return used() >= bytes_max_; }
  /// So many more don't fit.
  bool lacks(std::size_t bytes) const { return used() + bytes > bytes_max_; }
  /// How much must go until something fits again.
  std::size_t excess() const {
    const std::size_t bytes = used();
    return bytes >= bytes_max_ ? bytes - bytes_max_ + 1 : 0;
  }

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace outpost::capability
