#include "apps/outpost/stderr_log.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/limits/logs.h"
#include "os/io.h"
#include "os/signals.h"
#include "os/wait.h"

namespace outpost::apps {

struct StderrLog::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::string waiting;
  std::size_t dropped = 0;
  bool writing = false, ending = false;
};

StderrLog::StderrLog(int fd, Settings settings) : settings_(settings), queue_(std::make_shared<Queue>()) {
  // Signals are for the thread that reads them.
  const os::AllSignalsBlocked blocked;
  std::thread([queue = queue_, fd] { write_all(queue, fd); }).detach();
}

StderrLog::~StderrLog() {
  std::unique_lock lock(queue_->mutex);
  queue_->ending = true;
  queue_->changed.notify_all();
  queue_->changed.wait_for(lock, limits::log_end_wait, [this] { return queue_->waiting.empty() && !queue_->writing; });
}

void StderrLog::write(telemetry::LogLevel level, std::string_view event, telemetry::Attributes attributes) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::string line = telemetry::format_log_line(settings_.format, level, now_ms, event, attributes);
  const std::lock_guard lock(queue_->mutex);
  if (queue_->waiting.size() + line.size() > limits::log_bytes_waiting_max) {
    ++queue_->dropped;
    return;
  }
  if (queue_->dropped != 0) {
    const telemetry::Attribute count{"events", static_cast<std::int64_t>(std::exchange(queue_->dropped, 0))};
    queue_->waiting += telemetry::format_log_line(settings_.format, telemetry::LogLevel::warn, now_ms,
                                                  "log events were dropped", {&count, 1});
  }
  queue_->waiting += line;
  queue_->changed.notify_all();
}

void StderrLog::write_all(const std::shared_ptr<Queue>& queue, int fd) {
  std::unique_lock lock(queue->mutex);
  while (true) {
    queue->changed.wait(lock, [&] { return queue->ending || !queue->waiting.empty(); });
    if (queue->waiting.empty()) return;
    const std::string text = std::exchange(queue->waiting, {});
    queue->writing = true;
    lock.unlock();
    for (ByteView left = as_bytes(text); !left.empty();) {
      const os::IoCount count = os::write_some(fd, left);
      if (count.status == os::IoCount::would_block) {
        os::wait_until_writable(fd);
      } else if (count.status != os::IoCount::ok) {
        break;
      }
      left = left.subspan(count.bytes);
    }
    lock.lock();
    queue->writing = false;
    queue->changed.notify_all();
  }
}

}  // namespace outpost::apps
