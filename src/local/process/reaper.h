#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/loop.h"
#include "base/watch.h"
#include "os/spawn_thread.h"

namespace outpost::local {

/// Collects the exit of killed leaders whose `LocalProcess` is gone, so that none stays as a zombie. It holds at most
/// as many as there may be processes. Belongs to its loop.
class Reaper {
 public:
  Reaper(Loop& loop, os::SpawnThread& spawn_thread) : loop_(loop), spawn_thread_(spawn_thread) {}
  /// `child` was killed and isn't reaped.
  void adopt(os::SpawnedChild child);
  std::size_t waiting() const { return dying_.size(); }

 private:
  struct Dying {
    os::SpawnedChild child;
    std::unique_ptr<Watch> watch;
    std::unique_ptr<Timer> look;  // instead, where the system had no room for one more watch
  };
  void collect(std::uint64_t number);
  void await(std::uint64_t number, Dying& dying);

  Loop& loop_;
  os::SpawnThread& spawn_thread_;
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, Dying> dying_;
};

}  // namespace outpost::local
