#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_set>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/limits/processes.h"
#include "crypto/digest.h"

namespace outpost::local {

/// The last `limits::write_ids_remembered` accepted write ids of one process, first in first out; seeing an id again
/// does not refresh its place (processes-and-sessions 8.1).
class WriteIds {
 public:
  bool contains(const std::string& id) const { return known_.contains(key_of(id)); }
  /// `id` must not be known yet.
  void remember(const std::string& id) {
    if (order_.size() == limits::write_ids_remembered) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    std::string key = key_of(id);
    known_.insert(key);
    order_.push_back(std::move(key));
  }
  std::size_t size() const { return order_.size(); }

 private:
  /// A long id is remembered by its digest, so that thousands of them stay small.
  static std::string key_of(const std::string& id) {
    return id.size() <= limits::write_id_bytes_kept ? id : to_hex(crypto::sha256(as_bytes(id)));
  }

  std::unordered_set<std::string> known_;
  std::deque<std::string> order_;
};

}  // namespace outpost::local
