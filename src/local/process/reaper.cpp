#include "local/process/reaper.h"

#include <utility>

namespace outpost::local {

void Reaper::adopt(os::SpawnedChild child) {
  if (spawn_thread_.exit_status(child)) return;
  const std::uint64_t number = next_++;
  Dying& dying = dying_[number];
  dying.child = std::move(child);
  dying.watch = std::make_unique<Watch>(loop_, dying.child.pidfd.get(), [this, number] { collect(number); });
  dying.watch->wait_readable();
}

void Reaper::collect(std::uint64_t number) {
  const auto found = dying_.find(number);
  if (found == dying_.end()) return;
  if (spawn_thread_.exit_status(found->second.child)) {
    dying_.erase(found);
  } else {
    found->second.watch->wait_readable();
  }
}

}  // namespace outpost::local
