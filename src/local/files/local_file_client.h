#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/loop.h"
#include "base/loop_gate.h"
#include "capability/file_system.h"
#include "local/files/file_call.h"
#include "local/files/local_mounts.h"
#include "local/files/missing_watch.h"
#include "local/files/worker_pool.h"

namespace outpost::local {

/// One connection's part of a `LocalFileSystem`.
class LocalFileClient final : public capability::FileClient {
 public:
  LocalFileClient(Loop& loop, WorkerPool& pool, LocalMounts& mounts, MissingWatch::Changed missing_changed);
  ~LocalFileClient() override;

  void call(capability::FileRequest request, std::stop_token stop, capability::FileDone done) override;
  void set_flowing(bool flowing) override { pool_.set_flowing(share_, flowing); }

 private:
  struct Pending {
    capability::FileDone done;
    std::move_only_function<void(const Error* problem)> settle;
    std::shared_ptr<OpenFile> file;
  };
  bool may_run_here(FileCall& call);
  void finish(Pending pending, Result<capability::FileAnswer> answer);
  void run_on_thread(FileCall call, std::stop_token stop, capability::FileDone done);
  void take(std::uint64_t number, Result<capability::FileAnswer> answer);
  /// Closes it where that can't hang the loop, if nobody else has it.
  void release(std::shared_ptr<OpenFile> file);

  WorkerPool& pool_;
  LocalMounts& mounts_;
  std::shared_ptr<WorkerPool::Share> share_;
  std::shared_ptr<LoopGate> gate_;          // shared with the threads that work for this
  std::shared_ptr<LocalFileClient*> self_;  // null once this is gone: for what threads posted
  MissingWatch watch_;
  Handles handles_;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::uint64_t next_number_ = 1;
};

}  // namespace outpost::local
