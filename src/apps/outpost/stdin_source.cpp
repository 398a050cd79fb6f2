#include "apps/outpost/stdin_source.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/limits/clients.h"
#include "base/limits/processes.h"
#include "base/loop_gate.h"
#include "os/io.h"
#include "os/wait.h"

namespace outpost::apps {

bool is_empty_input(int fd) {
  struct stat found{};
  if (::fstat(fd, &found) != 0) return true;
  return S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3);
}

struct StdinSource::Shared {
  Shared(Loop& loop, StdinSource& the_source) : gate(loop), source(&the_source) {}

  LoopGate gate;
  StdinSource* source;  // used on the loop; null once the source is gone

  std::mutex mutex;  // for what follows
  std::condition_variable wake;
  std::size_t wanted = limits::stdin_chunks_ahead;  // chunks that may be read
  bool stopped = false;

  void want(std::size_t chunks) {
    const std::lock_guard lock(mutex);
    wanted += chunks;
    wake.notify_one();
  }
  void stop() {
    const std::lock_guard lock(mutex);
    stopped = true;
    wake.notify_one();
  }
  bool is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
  }
  /// Waits until a chunk is wanted; false: none will be.
  bool may_read() {
    std::unique_lock lock(mutex);
    wake.wait(lock, [this] { return stopped || wanted > 0; });
    if (stopped) return false;
    --wanted;
    return true;
  }
};

StdinSource::StdinSource(Loop& loop, client::ClientSession& session, std::string process_id, Settings settings)
    : session_(session),
      process_id_(std::move(process_id)),
      settings_(std::move(settings)),
      shared_(std::make_shared<Shared>(loop, *this)) {
  // Not joined: it may sit in a read until this process ends.
  std::thread([shared = shared_, fd = settings_.fd] { read_all(shared, fd); }).detach();
}

StdinSource::~StdinSource() {
  shared_->source = nullptr;
  shared_->gate.close();
  shared_->stop();
}

void StdinSource::read_all(const std::shared_ptr<Shared>& shared, int fd) {
  while (true) {
    if (!shared->may_read()) return;
    Bytes chunk(limits::output_chunk_bytes_max);
    os::IoCount count = os::read_some(fd, chunk.whole());
    while (count.status == os::IoCount::would_block) {
      os::wait_until_readable(fd);
      if (shared->is_stopped()) return;
      count = os::read_some(fd, chunk.whole());
    }
    if (count.status != os::IoCount::ok) break;
    chunk.shrink(count.bytes);
    shared->gate.post([shared, chunk = std::move(chunk)] {
      if (shared->source != nullptr) shared->source->take(chunk.view());
    });
  }
  shared->gate.post([shared] {
    if (shared->source != nullptr) shared->source->at_end();
  });
}

void StdinSource::take(ByteView bytes) {
  carried_ = true;
  session_.write(process_id_, bytes, [this, shared = shared_](Result<wire::WriteResult> result) {
    if (shared->source != nullptr) take_answer(result && result->status == wire::WriteStatus::accepted);
  });
}

void StdinSource::take_answer(bool wants_more) {
  if (wants_more) return shared_->want(1);
  // The command wants no more: whatever stdin still says is not its own.
  settings_.on_end_lost = nullptr;
  shared_->stop();
}

void StdinSource::at_end() {
  if (settings_.can_close) {
    session_.close_stdin(process_id_, [](Result<wire::WriteResult>) {});
  } else if (carried_ && settings_.on_end_lost && ::isatty(settings_.fd) != 1) {
    settings_.on_end_lost();
  }
}

}  // namespace outpost::apps
