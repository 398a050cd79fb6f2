#include "local/files/local_file_client.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>
#include <variant>

#include "base/limits/file_reads.h"
#include "local/files/file_error.h"
#include "local/files/local_file_system.h"

namespace outpost::local {

namespace {

/// As for lack of memory: a fault of this request alone.
FileCall::Outcome contained(FileCall& call, const std::stop_token& stop, bool here) {
  try {
    return call.run(stop, here);
  } catch (const std::exception& fault) {
    return fail(ErrorKind::internal, std::string("internal error: ") + fault.what());
  }
}

}  // namespace

LocalFileClient::LocalFileClient(Loop& loop, WorkerPool& pool, LocalMounts& mounts,
                                 MissingWatch::Changed missing_changed)
    : pool_(pool),
      mounts_(mounts),
      share_(pool.make_share()),
      gate_(std::make_shared<LoopGate>(loop)),
      self_(std::make_shared<LocalFileClient*>(this)),
      watch_(loop, mounts, std::move(missing_changed)) {}

LocalFileClient::~LocalFileClient() {
  *self_ = nullptr;
  gate_->close();
  pool_.drop(share_);
  for (auto& [id, file] : handles_) release(std::move(file));
  for (auto& [number, pending] : pending_) {
    pending.settle = nullptr;  // which may hold the file
    release(std::move(pending.file));
  }
}

bool LocalFileClient::may_run_here(FileCall& call) {
  const bool local =
      std::ranges::all_of(call.paths, [this](const std::string& path) { return mounts_.is_local(path); });
  // What is opened lies where its path leads; what is open is asked for that.
  if (call.file && call.paths.empty()) return call.may_run_here && call.file->local;
  if (call.file) call.file->local = local;
  if (call.follows_entries && !mounts_.all_local()) return false;
  return call.may_run_here && local;
}

void LocalFileClient::call(capability::FileRequest request, std::stop_token stop, capability::FileDone done) {
  if (const auto* watch = std::get_if<wire::WatchMissingParams>(&request)) {
    return done(wire::WatchMissingResult{watch_.set(*watch)});
  }
  Result<FileCall> call = plan(std::move(request), handles_);
  if (!call) return done(fail(std::move(call).error()));
  if (may_run_here(*call)) {
    FileCall::Outcome outcome = contained(*call, stop, true);
    const bool over = !outcome || outcome->has_value();
    if (over) {
      Pending pending{std::move(done), std::move(call->settle), std::move(call->file)};
      if (!outcome) return finish(std::move(pending), fail(std::move(outcome).error()));
      return finish(std::move(pending), **std::move(outcome));
    }
  }
  run_on_thread(*std::move(call), std::move(stop), std::move(done));
}

void LocalFileClient::finish(Pending pending, Result<capability::FileAnswer> answer) {
  if (pending.settle) pending.settle(answer ? nullptr : &answer.error());
  pending.settle = nullptr;  // which may hold the file
  release(std::move(pending.file));
  pending.done(std::move(answer));
}

void LocalFileClient::run_on_thread(FileCall call, std::stop_token stop, capability::FileDone done) {
  if (pending_.size() >= limits::file_work_waiting_max) {
    return finish({std::move(done), std::move(call.settle), std::move(call.file)},
                  fail(ErrorKind::io, os_error_text(EAGAIN)));
  }
  const std::uint64_t number = next_number_++;
  const WorkerPool::Lane lane = call.lane;
  pending_.emplace(number, Pending{std::move(done), std::move(call.settle), call.file});
  const bool taken = pool_.submit(
      share_, lane, [gate = gate_, self = self_, number, call = std::move(call), stop = std::move(stop)]() mutable {
        FileCall::Outcome outcome =
            stop.stop_requested() ? FileCall::Outcome(fail(request_cancelled())) : contained(call, stop, false);
        call.run = nullptr;
        Result<capability::FileAnswer> answer = fail(ErrorKind::internal, "no answer");
        if (!outcome) {
          answer = fail(std::move(outcome).error());
        } else if (*outcome) {
          answer = **std::move(outcome);
        }
        gate->post([self, number, answer = std::move(answer), file = std::move(call.file)]() mutable {
          if (*self == nullptr) return;
          (*self)->release(std::move(file));
          (*self)->take(number, std::move(answer));
        });
      });
  if (!taken) take(number, fail(ErrorKind::io, os_error_text(EAGAIN)));
}

void LocalFileClient::take(std::uint64_t number, Result<capability::FileAnswer> answer) {
  auto node = pending_.extract(number);
  if (node) finish(std::move(node.mapped()), std::move(answer));
}

void LocalFileClient::release(std::shared_ptr<OpenFile> file) {
  if (!file || file->local || file.use_count() > 1) return;
  pool_.submit(pool_.make_share(), WorkerPool::Lane::quick, [file = std::move(file)] {});
}

std::unique_ptr<capability::FileClient> LocalFileSystem::connect(
    std::move_only_function<void(std::uint64_t watch_id)> missing_changed) {
  return std::make_unique<LocalFileClient>(loop_, pool_, mounts_, std::move(missing_changed));
}

}  // namespace outpost::local
