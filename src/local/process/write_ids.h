#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_set>

#include "base/limits.h"

namespace outpost::local {

/// The last `limits::write_ids_remembered` accepted write ids of one process, first in first out; seeing an id again does
/// not refresh its place (processes-and-sessions 8.1).
class WriteIds {
 public:
  bool contains(const std::string& id) const { return known_.contains(id); }
  /// `id` must not be known yet.
  void remember(const std::string& id) {
    if (order_.size() == limits::write_ids_remembered) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    known_.insert(id);
    order_.push_back(id);
  }
  std::size_t size() const { return order_.size(); }

 private:
  std::unordered_set<std::string> known_;
  std::deque<std::string> order_;
};

}  // namespace outpost::local
