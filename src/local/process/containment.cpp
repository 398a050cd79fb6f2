#include "local/process/containment.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits/system.h"
#include "os/orphan_tag.h"
#include "os/process_tree.h"
#include "os/signals.h"

namespace outpost::local {

namespace {
constexpr std::array<std::pair<ContainmentLevel, std::string_view>, 3> levels{{
    {ContainmentLevel::cgroup, "cgroup"},
    {ContainmentLevel::subreaper, "subreaper"},
    {ContainmentLevel::group, "group"},
}};

void kill_carriers(const std::vector<std::uint32_t>& tags) {
  std::vector<os::TreeRoot> roots;
  roots.reserve(tags.size());
  for (const std::uint32_t tag : tags) roots.push_back({.orphan_tag = tag});
  os::kill_trees(roots);
}
}  // namespace

std::string_view name_of(ContainmentLevel level) {
  return std::ranges::find(levels, level, &std::pair<ContainmentLevel, std::string_view>::first)->second;
}

std::optional<ContainmentLevel> containment_level_of(std::string_view name) {
  const auto found = std::ranges::find(levels, name, &std::pair<ContainmentLevel, std::string_view>::second);
  if (found == levels.end()) return std::nullopt;
  return found->first;
}

Containment::Containment(Settings settings) {
  choose_level(settings);
}

void Containment::choose_level(const Settings& settings) {
  if (settings.best == ContainmentLevel::cgroup) {
    const Result<> made = try_cgroups(settings);
    if (made) {
      level_ = ContainmentLevel::cgroup;
      return;
    }
    reason_ = made.error().message;
  }
  if (settings.best == ContainmentLevel::group) return;
  if (os::orphan_tags_work()) {
    level_ = ContainmentLevel::subreaper;
  } else {
    reason_ += reason_.empty() ? "" : "; ";
    reason_ += "orphans can't be told apart: no timer slack or resource limits of others in /proc";
  }
}

Result<> Containment::try_cgroups(const Settings& settings) {
  const std::string parent = OUTPOST_TRY(os::own_cgroup());
  Result<os::CgroupFolder> made = os::CgroupFolder::make(parent, settings.cgroup_name);
  if (!made)
    return fail(ErrorKind::unavailable, "cgroup v2 is not writable at " + parent + ": " + made.error().message);
  cgroups_ = std::make_unique<os::CgroupFolder>(*std::move(made));
  return {};
}

Containment::~Containment() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (worker_.joinable()) worker_.join();
  if (tags_.taken() > 0) kill_carriers(tags_.all());
  if (cgroups_) os::clear_cgroup(cgroups_->path());
}

Containment::Scope Containment::new_scope() {
  const std::lock_guard lock(mutex_);
  return ++last_scope_;
}

Result<Containment::NewPlace> Containment::enter(Scope scope) {
  NewPlace entered{.place = {.scope = scope}, .cgroup_procs = {}};
  {
    const std::lock_guard lock(mutex_);
    if (level_ == ContainmentLevel::cgroup) entered.place.member = ++last_member_;
    if (level_ == ContainmentLevel::subreaper) entered.place.orphan_tag = tags_.take(scope);
  }
  if (cgroups_) entered.cgroup_procs = OUTPOST_TRY(cgroups_->add(scope, entered.place.member));
  return entered;
}

void Containment::end(const Place& place) {
  if (cgroups_) {
    cgroups_->kill(place.scope, place.member);
    return;
  }
  if (place.orphan_tag == 0) return;
  const std::lock_guard lock(mutex_);
  to_kill_.push_back(place.orphan_tag);
  wake_worker();
}

void Containment::leave(const Place& place) {
  if (cgroups_) {
    if (!cgroups_->remove(place.scope, place.member)) remove_later(place, false);
    return;
  }
  const std::lock_guard lock(mutex_);
  tags_.closed(place.orphan_tag);
  if (tags_.look_is_due()) wake_worker();
}

void Containment::end_scope(Scope scope) {
  if (cgroups_) {
    cgroups_->kill(scope);
    if (!cgroups_->remove(scope)) remove_later({.scope = scope}, true);
    return;
  }
  const std::lock_guard lock(mutex_);
  for (const std::uint32_t tag : tags_.of(scope)) {
    to_kill_.push_back(tag);
    tags_.closed(tag);
  }
  if (!to_kill_.empty()) wake_worker();
}

void Containment::remove_later(const Place& place, bool whole_scope) {
  const std::lock_guard lock(mutex_);
  const auto now = Loop::now();
  // What lives on by right makes this give up: it goes with its scope, and a scope with the whole folder.
  removals_.push_back({.place = place,
                       .whole_scope = whole_scope,
                       .next_try = now + std::chrono::milliseconds(1),
                       .give_up = now + limits::guard_clear_up_max});
  wake_worker();
}

void Containment::wake_worker() {
  if (!worker_.joinable()) {
    const os::AllSignalsBlocked blocked;
    worker_ = std::thread([this] { run(); });
  }
  wake_.notify_one();
}

void Containment::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!to_kill_.empty()) {
      kill_tagged(lock);
    } else if (stopping_) {
      return;
    } else if (tags_.look_is_due()) {
      look_for_tags(lock);
    } else if (removals_.empty()) {
      wake_.wait(lock);
    } else {
      wake_.wait_until(lock, next_removal());
      remove_due();
    }
  }
}

void Containment::kill_tagged(std::unique_lock<std::mutex>& lock) {
  const std::vector<std::uint32_t> tags = std::exchange(to_kill_, {});
  lock.unlock();
  kill_carriers(tags);
  lock.lock();
}

void Containment::look_for_tags(std::unique_lock<std::mutex>& lock) {
  const auto looked_for = tags_.closed();
  lock.unlock();
  const auto living = os::orphan_tags_of_children();
  lock.lock();
  tags_.release_all_but(looked_for, living);
  if (!tags_.look_is_due()) return;
  // So many daemons are alive that the next look would come at once; it can wait until something is to do.
  wake_.wait_for(lock, std::chrono::seconds(1));
}

MonotonicTime Containment::next_removal() const {
  return std::ranges::min_element(removals_, {}, &Removal::next_try)->next_try;
}

void Containment::remove_due() {
  const auto now = Loop::now();
  std::erase_if(removals_, [&](Removal& removal) {
    if (removal.next_try > now) return false;
    if (try_remove(removal) || now >= removal.give_up) return true;
    removal.pause *= 2;
    removal.next_try = now + removal.pause;
    return false;
  });
}

bool Containment::try_remove(const Removal& removal) const {
  return removal.whole_scope ? cgroups_->remove(removal.place.scope)
                             : cgroups_->remove(removal.place.scope, removal.place.member);
}

}  // namespace outpost::local
