#include "local/process/stdin_writer.h"

#include <array>
#include <utility>

#include "base/limits/processes.h"
#include "os/io.h"

namespace outpost::local {

namespace {
constexpr std::size_t large_chunk_bytes = 32 * 1024;
}  // namespace

StdinWriter::StdinWriter(Loop& loop, os::FileDescriptor fd) : loop_(loop), fd_(std::move(fd)) {
  auto watch = Watch::create(loop, fd_.get(), [] {}, [this] { pump(); });
  if (watch) watch_ = *std::move(watch);
}

void StdinWriter::write(capability::WriteRequest request, capability::WriteDone done) {
  const bool large = request.bytes.size() >= large_chunk_bytes;
  if (fd_ && large && !std::exchange(enlarged_, true)) os::set_pipe_size(fd_.get(), limits::fast_pipe_bytes);
  const bool idle = queue_.chunks() == 0;
  queue_.offer(std::move(request), std::move(done));
  if (!idle) return;
  // A small one is somebody typing: the program should have it before the answer goes out.
  if (large) return pump_later();
  pump();
}

void StdinWriter::close() {
  queue_.close();
  pump();
}

void StdinWriter::end(Result<wire::WriteStatus> outcome) {
  watch_.reset();
  fd_.reset();
  queue_.end(std::move(outcome));
}

void StdinWriter::pump_later() {
  if (std::exchange(pump_posted_, true)) return;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    pump_posted_ = false;
    pump();
  });
}

void StdinWriter::pump() {
  std::array<ByteView, os::gathered_pieces> pieces;
  while (fd_) {
    const std::size_t filled = queue_.front(pieces);
    if (filled == 0) break;
    const os::IoCount count = os::write_gathered(fd_.get(), std::span(pieces).first(filled));
    if (count.status == os::IoCount::would_block) return watch_->wait_writable();
    // The program closed its stdin: what it will never read is dropped, and the writer is told.
    if (count.status != os::IoCount::ok) return end(wire::WriteStatus::stdin_closed);
    queue_.consume(count.bytes);
  }
  if (fd_ && queue_.drained()) end(wire::WriteStatus::stdin_closed);
}

}  // namespace outpost::local
