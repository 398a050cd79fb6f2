#include "local/files/worker_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/limits/file_reads.h"

namespace outpost::local {

struct WorkerPool::Share {
  std::deque<Task> quick, slow;
  std::size_t running = 0, slow_running = 0;
  bool flowing = true;
  bool listed = false;  ///< among those that have work
};

struct WorkerPool::State {
  explicit State(std::size_t most)
      : threads_max(most),
        share_max(std::max<std::size_t>(1, most / 4)),
        slow_max(std::max<std::size_t>(1, most / 2)),
        slow_share_max(std::max<std::size_t>(1, most / 8)) {}

  struct Next {
    std::shared_ptr<Share> share;
    Lane lane;
    Task work;
  };
  /// Takes the next work that may begin; each share in its turn.
  std::optional<Next> take();
  void finished(const Next& done) {
    --done.share->running;
    if (done.lane == Lane::slow) {
      --done.share->slow_running;
      --slow_running;
    }
  }
  void list(const std::shared_ptr<Share>& share) {
    if (!std::exchange(share->listed, true)) waiting.push_back(share);
  }
  void rouse(const std::shared_ptr<State>& self);
  bool make_thread(const std::shared_ptr<State>& self);
  static void run(const std::shared_ptr<State>& state);

  const std::size_t threads_max, share_max, slow_max, slow_share_max;
  std::mutex mutex;
  std::condition_variable wake, ended;
  std::list<std::shared_ptr<Share>> waiting;  // those with work, the next first
  std::size_t threads = 0, idle = 0, slow_running = 0;
  bool ending = false;
};

std::optional<WorkerPool::State::Next> WorkerPool::State::take() {
  for (auto place = waiting.begin(); place != waiting.end();) {
    const std::shared_ptr<Share> share = *place;
    if (share->quick.empty() && share->slow.empty()) {
      share->listed = false;
      place = waiting.erase(place);
      continue;
    }
    const bool room = share->flowing && share->running < share_max;
    const bool slow_room = room && slow_running < slow_max && share->slow_running < slow_share_max;
    const Lane lane = share->quick.empty() ? Lane::slow : Lane::quick;
    if (!(lane == Lane::quick ? room : slow_room)) {
      ++place;
      continue;
    }
    auto& queue = lane == Lane::quick ? share->quick : share->slow;
    Next next{share, lane, std::move(queue.front())};
    queue.pop_front();
    ++share->running;
    if (lane == Lane::slow) {
      ++share->slow_running;
      ++slow_running;
    }
    waiting.splice(waiting.end(), waiting, place);
    return next;
  }
  return std::nullopt;
}

void WorkerPool::State::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    if (auto next = state->take()) {
      state->rouse(state);
      lock.unlock();
      next->work();
      next->work = nullptr;
      lock.lock();
      state->finished(*next);
      continue;
    }
    if (state->ending) break;
    ++state->idle;
    const auto woken = state->wake.wait_for(lock, limits::file_worker_idle);
    --state->idle;
    if (woken == std::cv_status::timeout && state->waiting.empty()) break;
  }
  --state->threads;
  state->ended.notify_all();
}

// Whoever takes work sees to the rest: a thread that was idle when more was submitted may have been busy already.
void WorkerPool::State::rouse(const std::shared_ptr<State>& self) {
  const bool more = std::ranges::any_of(
      waiting, [](const auto& share) { return share->flowing && !(share->quick.empty() && share->slow.empty()); });
  if (!more || ending) return;
  if (idle > 0) {
    wake.notify_one();
  } else if (threads < threads_max) {
    make_thread(self);
  }
}

bool WorkerPool::State::make_thread(const std::shared_ptr<State>& self) {
  try {
    std::thread([self] { run(self); }).detach();
    ++threads;
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

WorkerPool::WorkerPool(std::size_t threads_max) : state_(std::make_shared<State>(threads_max)) {}

WorkerPool::~WorkerPool() {
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  std::list<std::shared_ptr<Share>> dropped;
  for (const auto& share : state_->waiting) {
    auto kept = std::make_shared<Share>();
    kept->quick.swap(share->quick);
    kept->slow.swap(share->slow);
    dropped.push_back(std::move(kept));
  }
  state_->wake.notify_all();
  state_->ended.wait_for(lock, limits::file_workers_end_wait, [&] { return state_->threads == 0; });
  lock.unlock();
}

std::shared_ptr<WorkerPool::Share> WorkerPool::make_share() {
  return std::make_shared<Share>();
}

bool WorkerPool::submit(const std::shared_ptr<Share>& share, Lane lane, Task work) {
  const std::lock_guard lock(state_->mutex);
  if (state_->ending) return false;
  const bool more = state_->idle == 0 && state_->threads < state_->threads_max;
  if (more && !state_->make_thread(state_) && state_->threads == 0) return false;
  (lane == Lane::quick ? share->quick : share->slow).push_back(std::move(work));
  state_->list(share);
  state_->wake.notify_one();
  return true;
}

void WorkerPool::set_flowing(const std::shared_ptr<Share>& share, bool flowing) {
  const std::lock_guard lock(state_->mutex);
  share->flowing = flowing;
  if (flowing) state_->rouse(state_);
}

void WorkerPool::drop(const std::shared_ptr<Share>& share) {
  std::deque<Task> quick, slow;
  {
    const std::lock_guard lock(state_->mutex);
    quick.swap(share->quick);
    slow.swap(share->slow);
  }
}

}  // namespace outpost::local
