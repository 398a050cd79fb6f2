#include "local/process/reaper.h"

#include <utility>

namespace outpost::local {

void Reaper::adopt(os::SpawnedChild child) {
  if (spawn_thread_.exit_status(child)) return;
  const std::uint64_t number = next_++;
  Dying& dying = dying_[number];
  dying.child = std::move(child);
  if (auto watch = Watch::create(loop_, dying.child.pidfd.get(), [this, number] { collect(number); })) {
    dying.watch = *std::move(watch);
  } else {
    dying.look = std::make_unique<Timer>(loop_);
  }
  await(number, dying);
}

void Reaper::await(std::uint64_t number, Dying& dying) {
  if (dying.watch) return dying.watch->wait_readable();
  dying.look->start(std::chrono::milliseconds(100), [this, number] { collect(number); });
}

void Reaper::collect(std::uint64_t number) {
  const auto found = dying_.find(number);
  if (found == dying_.end()) return;
  if (spawn_thread_.exit_status(found->second.child)) {
    dying_.erase(found);
  } else {
    await(number, found->second);
  }
}

}  // namespace outpost::local
