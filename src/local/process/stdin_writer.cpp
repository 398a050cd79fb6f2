#include "local/process/stdin_writer.h"

#include <utility>

#include "os/io.h"

namespace outpost::local {

namespace {
constexpr std::size_t large_chunk_bytes = 32 * 1024;
}  // namespace

StdinWriter::StdinWriter(Loop& loop, os::FileDescriptor fd) : fd_(std::move(fd)) {
  watch_ = std::make_unique<Watch>(loop, fd_.get(), [] {}, [this] { pump(); });
}

void StdinWriter::write(capability::WriteRequest request, capability::WriteDone done) {
  if (fd_ && request.bytes.size() >= large_chunk_bytes && !std::exchange(enlarged_, true)) {
    os::set_pipe_size(fd_.get(), limits::fast_pipe_bytes);
  }
  const bool idle = queue_.chunks() == 0;
  queue_.offer(std::move(request), std::move(done));
  if (idle) pump();
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

void StdinWriter::pump() {
  while (fd_ && !queue_.front().empty()) {
    const os::IoCount count = os::write_some(fd_.get(), queue_.front());
    if (count.status == os::IoCount::would_block) return watch_->wait_writable();
    // The program closed its stdin: what it will never read is dropped, and the writer is told.
    if (count.status != os::IoCount::ok) return end(wire::WriteStatus::stdin_closed);
    queue_.consume(count.bytes);
  }
  if (fd_ && queue_.drained()) end(wire::WriteStatus::stdin_closed);
}

}  // namespace outpost::local
