#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/limits/system.h"

namespace outpost::local {

/// Which orphan tag (`os/orphan_tag.h`) belongs to which scope, and which may be given out again. A tag whose process
/// has closed stays taken until a look at the machine has shown that nothing carries it. Pure.
class OrphanTags {
 public:
  using Scope = std::uint64_t;

  /// A free tag, now of `scope`; 0 if none is left.
  std::uint32_t take(Scope scope);
  /// The process of the tag has closed; what it left running keeps the tag and the scope.
  void closed(std::uint32_t tag);
  /// All that may still carry something of the scope.
  std::vector<std::uint32_t> of(Scope scope) const;
  std::vector<std::uint32_t> all() const;
  /// Enough have closed for a look to be worth it.
  bool look_is_due() const { return closed_.size() >= limits::closed_orphan_tags_max; }
  /// Those to look for.
  const std::unordered_set<std::uint32_t>& closed() const { return closed_; }
  /// A look has shown that of those closed before it only `living` are carried.
  void release_all_but(std::unordered_set<std::uint32_t> looked_for, const std::unordered_set<std::uint32_t>& living);
  std::size_t taken() const { return scope_of_.size(); }

 private:
  std::uint32_t next_ = 1;
  std::unordered_map<std::uint32_t, Scope> scope_of_;
  std::unordered_set<std::uint32_t> closed_;
};

}  // namespace outpost::local
