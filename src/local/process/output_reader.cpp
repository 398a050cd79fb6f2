#include "local/process/output_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "os/io.h"

namespace outpost::local {

namespace {
// One process takes at most this much in one turn of the loop, so that a flood doesn't delay the others.
constexpr std::size_t lone_piece_bytes = 1024;
constexpr std::size_t turn_bytes = 4 * limits::output_chunk_bytes_max;
// A pipe of this size lets a fast program run on while we send; the kernel's default is 64 KiB.
constexpr std::size_t fast_pipe_bytes = limits::fast_pipe_bytes;
}  // namespace

OutputReader::OutputReader(Loop& loop, os::FileDescriptor fd, capability::OutputStream stream, OutputLog& log,
                           Events events)
    : loop_(loop), fd_(std::move(fd)), stream_(stream), log_(log), events_(std::move(events)) {
  watch_ = std::make_unique<Watch>(loop, fd_.get(), [this] { on_readable(); });
  watch_->wait_readable();
}

void OutputReader::set_flowing(bool flowing) {
  if (std::exchange(flowing_, flowing) == flowing || !flowing || ended()) return;
  await_more();
}

void OutputReader::await_more() {
  if (!ending_) return watch_->wait_readable();
  // Emptiness is the end by now, and a watch doesn't report that.
  read_at(Loop::now());
}

void OutputReader::read_at(MonotonicTime time) {
  if (!gather_timer_) gather_timer_ = std::make_unique<Timer>(loop_);
  gather_timer_->start_at(time, [this] { on_readable(); });
}

void OutputReader::on_readable() {
  if (!flowing_ || ended()) return;
  std::size_t taken = 0;
  Step step = Step::more;
  while (flowing_ && !ended() && step == Step::more && taken < turn_bytes) step = take_chunk(taken);
  if (ended()) return;
  if (over(step)) return finish();
  if (!flowing_) return;
  if (ending_) return await_more();
  // With more to take, the wait reports again at once, behind whatever else is ready.
  const auto delay = step == Step::empty ? gather_.after_read(Loop::now(), taken) : GatherPolicy::Duration::zero();
  if (delay == GatherPolicy::Duration::zero()) return watch_->wait_readable();
  read_at(Loop::now() + delay);
}

void OutputReader::drain() {
  std::size_t taken = 0;
  Step step = Step::more;
  while (flowing_ && !ended() && step == Step::more && taken < fast_pipe_bytes) step = take_chunk(taken);
  if (!ended() && over(step)) finish();
}

void OutputReader::end_when_empty() {
  ending_ = true;
  drain();
}

bool OutputReader::over(Step step) const {
  return step == Step::end || (ending_ && (step == Step::empty || ending_bytes_ >= fast_pipe_bytes));
}

void OutputReader::close() {
  gather_timer_.reset();
  watch_.reset();
  fd_.reset();
}

void OutputReader::finish() {
  close();
  events_.on_end();
}

OutputReader::Step OutputReader::take_chunk(std::size_t& taken) {
  if (log_.has_room(limits::output_chunk_bytes_max)) return take_in_place(limits::output_chunk_bytes_max, taken);
  // Room is made by dropping the oldest output, and no more of it than what there is to replace it.
  const std::size_t waiting = os::pipe_bytes_available(fd_.get());
  if (waiting < limits::staged_output_bytes) return take_staged(taken);
  return take_in_place(std::min(waiting, limits::output_chunk_bytes_max), taken);
}

OutputReader::Step OutputReader::take_in_place(std::size_t wanted, std::size_t& taken) {
  const MutableBytes room = log_.prepare(wanted);
  std::size_t filled = 0;
  const Step step = fill(room, filled);
  if (filled == 0) return step;
  log_.commit(stream_, filled);
  if (filled == limits::output_chunk_bytes_max && !std::exchange(enlarged_, true)) {
    os::set_pipe_size(fd_.get(), fast_pipe_bytes);
  }
  took(filled, taken);
  return step;
}

OutputReader::Step OutputReader::take_staged(std::size_t& taken) {
  // How much will come until the pipe is empty isn't known, so it is gathered beside the log first.
  std::array<std::byte, limits::staged_output_bytes> staged;
  std::size_t filled = 0;
  const Step step = fill(staged, filled);
  ByteView rest(staged.data(), filled);
  if (rest.empty()) return step;
  while (!rest.empty()) {  // twice where the ring wraps
    const MutableBytes room = log_.prepare(rest.size());
    std::ranges::copy(rest.first(room.size()), room.begin());
    log_.commit(stream_, room.size());
    rest = rest.subspan(room.size());
  }
  took(filled, taken);
  return step;
}

void OutputReader::took(std::size_t bytes, std::size_t& taken) {
  taken += bytes;
  if (ending_) ending_bytes_ += bytes;
  events_.on_output();
}

OutputReader::Step OutputReader::fill(MutableBytes room, std::size_t& filled) {
  // A program that writes in small pieces fills one chunk with many of them.
  while (filled < room.size()) {
    const os::IoCount count = os::read_some(fd_.get(), room.subspan(filled));
    if (count.status == os::IoCount::would_block) return Step::empty;
    if (count.status != os::IoCount::ok) return Step::end;  // a terminal's EIO is its end, too
    filled += count.bytes;
    // So little means that the pipe is empty now. To ask again would only catch the next line of a busy writer, one
    // system call each; the watch reports it as well.
    if (count.bytes < lone_piece_bytes && filled < room.size()) return Step::empty;
  }
  return Step::more;
}

}  // namespace outpost::local
