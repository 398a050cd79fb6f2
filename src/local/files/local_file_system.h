#pragma once

#include "base/loop.h"
#include "capability/file_system.h"
#include "local/files/local_mounts.h"
#include "local/files/worker_pool.h"

namespace outpost::local {

/// The files of this machine, with the rights of this process, for the connections of one loop. Short work on file
/// systems that answer at once is done on the loop; everything else on threads of the pool, which all loops share.
class LocalFileSystem final : public capability::FileSystem {
 public:
  LocalFileSystem(Loop& loop, WorkerPool& pool) : loop_(loop), pool_(pool) {}

  std::unique_ptr<capability::FileClient> connect(
      std::move_only_function<void(std::uint64_t watch_id)> missing_changed) override;

 private:
  Loop& loop_;
  WorkerPool& pool_;
  LocalMounts mounts_;
};

}  // namespace outpost::local
