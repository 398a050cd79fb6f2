#include "apps/outpost/run_output.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/limits/clients.h"
#include "base/loop_gate.h"
#include "os/io.h"
#include "os/wait.h"

namespace outpost::apps {

struct RunOutput::Shared {
  Shared(Loop& loop, Descriptors the_descriptors, Events the_events)
      : gate(loop), descriptors(the_descriptors), events(std::move(the_events)) {}

  struct Chunk {
    Stream stream;
    Bytes bytes;
  };
  LoopGate gate;
  const Descriptors descriptors;
  const Events events;  // used on the loop
  bool alive = true;    // used on the loop
  bool threaded = false;

  std::mutex mutex;  // for what follows
  std::condition_variable wake;
  std::deque<Chunk> chunks;
  std::size_t bytes_waiting = 0;  // with those of a chunk that is being written
  bool writing = false;
  bool tell_drained = false;
  bool stopped = false;

  bool full() const { return bytes_waiting > limits::output_bytes_ahead; }
};

/// The thread's side.
class RunOutput::Writer {
 public:
  explicit Writer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  void run() {
    std::unique_lock lock(shared_->mutex);
    while (true) {
      shared_->wake.wait(lock, [this] { return shared_->stopped || !shared_->chunks.empty(); });
      if (shared_->stopped) return;
      const Shared::Chunk chunk = std::move(shared_->chunks.front());
      shared_->chunks.pop_front();
      shared_->writing = true;
      lock.unlock();
      write(chunk);
      lock.lock();
      shared_->writing = false;
      const bool was_full = shared_->full();
      shared_->bytes_waiting -= chunk.bytes.size();
      if (was_full && !shared_->full()) tell([](const Events& events) { events.on_room(); });
      if (shared_->chunks.empty() && std::exchange(shared_->tell_drained, false)) {
        tell([](const Events& events) { events.on_drained(); });
      }
    }
  }

 private:
  void write(const Shared::Chunk& chunk) {
    const bool errors = chunk.stream == Stream::errors;
    bool& failed = errors ? errors_failed_ : output_failed_;
    const int fd = errors ? shared_->descriptors.errors : shared_->descriptors.output;
    ByteView rest = chunk.bytes.view();
    while (!failed && !rest.empty() && !stopped()) {
      const os::IoCount count = os::write_some(fd, rest);
      if (count.status == os::IoCount::ok) {
        rest = rest.subspan(count.bytes);
      } else if (count.status == os::IoCount::would_block) {
        os::wait_until_writable(fd);
      } else {
        failed = true;
        if (!errors) tell([error = count.error](const Events& events) { events.on_stdout_failed(error); });
      }
    }
  }

  bool stopped() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->stopped;
  }

  template <class Call>
  void tell(Call call) {
    shared_->gate.post([shared = shared_, call = std::move(call)] {
      if (shared->alive) call(shared->events);
    });
  }

  std::shared_ptr<Shared> shared_;
  bool output_failed_ = false, errors_failed_ = false;
};

RunOutput::RunOutput(Loop& loop, Descriptors descriptors, Events events)
    : shared_(std::make_shared<Shared>(loop, descriptors, std::move(events))) {}

RunOutput::~RunOutput() {
  shared_->alive = false;
  shared_->gate.close();
  const std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
  shared_->wake.notify_one();
}

void RunOutput::write(Stream stream, Bytes bytes) {
  if (!std::exchange(shared_->threaded, true)) {
    // Not joined: it may sit in a write until this process ends.
    std::thread([shared = shared_] { Writer(shared).run(); }).detach();
  }
  const std::lock_guard lock(shared_->mutex);
  shared_->bytes_waiting += bytes.size();
  shared_->chunks.push_back({stream, std::move(bytes)});
  shared_->wake.notify_one();
}

bool RunOutput::full() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->full();
}

bool RunOutput::drained() {
  const std::lock_guard lock(shared_->mutex);
  shared_->tell_drained = !shared_->chunks.empty() || shared_->writing;
  return !shared_->tell_drained;
}

}  // namespace outpost::apps
