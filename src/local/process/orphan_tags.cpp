#include "local/process/orphan_tags.h"

namespace outpost::local {

std::uint32_t OrphanTags::take(Scope scope) {
  if (scope_of_.size() >= limits::orphan_tag_max) return 0;
  // Round and round, so that a number comes again as late as possible.
  while (scope_of_.contains(next_)) next_ = next_ % limits::orphan_tag_max + 1;
  const std::uint32_t tag = next_;
  next_ = next_ % limits::orphan_tag_max + 1;
  scope_of_.emplace(tag, scope);
  return tag;
}

void OrphanTags::closed(std::uint32_t tag) {
  if (scope_of_.contains(tag)) closed_.insert(tag);
}

std::vector<std::uint32_t> OrphanTags::of(Scope scope) const {
  std::vector<std::uint32_t> tags;
  for (const auto& [tag, owner] : scope_of_) {
    if (owner == scope) tags.push_back(tag);
  }
  return tags;
}

std::vector<std::uint32_t> OrphanTags::all() const {
  std::vector<std::uint32_t> tags;
  tags.reserve(scope_of_.size());
  for (const auto& [tag, owner] : scope_of_) tags.push_back(tag);
  return tags;
}

void OrphanTags::release_all_but(std::unordered_set<std::uint32_t> looked_for,
                                 const std::unordered_set<std::uint32_t>& living) {
  for (const std::uint32_t tag : looked_for) {
    if (living.contains(tag) || closed_.erase(tag) == 0) continue;
    scope_of_.erase(tag);
  }
}

}  // namespace outpost::local
