#include "apps/outpost/stdio_bridge.h"

#include <sys/socket.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/limits/connections.h"
#include "os/io.h"
#include "os/signals.h"
#include "os/unix_socket.h"
#include "os/wait.h"

namespace outpost::apps {

namespace {

/// Writes all; false where nobody takes it any more.
bool write_whole(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const os::IoCount count = os::write_some(fd, bytes);
    if (count.status == os::IoCount::would_block) {
      os::wait_until_writable(fd);
    } else if (count.status != os::IoCount::ok) {
      return false;
    }
    bytes = bytes.subspan(count.bytes);
  }
  return true;
}

/// Carries bytes until either end is over.
void carry(int from, int to) {
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(limits::stdio_bytes_carried);
  while (true) {
    const os::IoCount count = os::read_some(from, {buffer.get(), limits::stdio_bytes_carried});
    if (count.status == os::IoCount::would_block) {
      os::wait_until_readable(from);
    } else if (count.status != os::IoCount::ok) {
      return;
    }
    if (!write_whole(to, {buffer.get(), count.bytes})) return;
  }
}

}  // namespace

struct StdioBridge::Shared {
  os::FileDescriptor socket;
  std::mutex mutex;
  std::condition_variable changed;
  bool written = false;
};

Result<std::unique_ptr<StdioBridge>> StdioBridge::start(int input_fd, int output_fd) {
  os::SocketPair pair = OUTPOST_TRY(os::make_socket_pair());
  OUTPOST_CHECK_OK(os::set_nonblocking(pair.first.get()));
  auto bridge = std::make_unique<StdioBridge>();
  bridge->socket_ = std::move(pair.first);
  bridge->shared_ = std::make_shared<Shared>();
  bridge->shared_->socket = std::move(pair.second);
  // Signals are for the thread that reads them.
  const os::AllSignalsBlocked blocked;
  std::thread([shared = bridge->shared_, input_fd] { carry_input(shared, input_fd); }).detach();
  std::thread([shared = bridge->shared_, output_fd] { carry_output(shared, output_fd); }).detach();
  return bridge;
}

void StdioBridge::carry_input(const std::shared_ptr<Shared>& shared, int input_fd) {
  carry(input_fd, shared->socket.get());
  ::shutdown(shared->socket.get(), SHUT_WR);
}

void StdioBridge::carry_output(const std::shared_ptr<Shared>& shared, int output_fd) {
  carry(shared->socket.get(), output_fd);
  // If it is the output that is gone, the loop learns of it.
  ::shutdown(shared->socket.get(), SHUT_RDWR);
  const std::lock_guard lock(shared->mutex);
  shared->written = true;
  shared->changed.notify_all();
}

void StdioBridge::wait_written(std::chrono::milliseconds most) {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, most, [this] { return shared_->written; });
}

}  // namespace outpost::apps
