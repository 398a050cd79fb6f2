#include "local/process/output_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "os/io.h"

namespace outpost::local {

namespace {
// One process takes at most this much in one turn of the loop, so that a flood doesn't delay the others.
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
  std::size_t wanted = limits::output_chunk_bytes_max;
  if (!log_.has_room(wanted)) {
    // Room is made by dropping the oldest output, so no more of it than what is really there to replace it.
    wanted = std::min(wanted, os::pipe_bytes_available(fd_.get()));
    if (wanted == 0) return take_first_bytes(taken);
  }
  const MutableBytes room = log_.prepare(wanted);
  std::size_t filled = 0;
  const Step step = fill(room, filled);
  if (filled == 0) return step;
  taken += filled;
  if (ending_) ending_bytes_ += filled;
  log_.commit(stream_, filled);
  if (filled == limits::output_chunk_bytes_max && !std::exchange(enlarged_, true)) {
    os::set_pipe_size(fd_.get(), fast_pipe_bytes);
  }
  events_.on_output();
  return step;
}

OutputReader::Step OutputReader::fill(MutableBytes room, std::size_t& filled) {
  // A program that writes in small pieces fills one chunk with many of them.
  while (filled < room.size()) {
    const os::IoCount count = os::read_some(fd_.get(), room.subspan(filled));
    if (count.status == os::IoCount::would_block) return Step::empty;
    if (count.status != os::IoCount::ok) return Step::end;  // a terminal's EIO is its end, too
    filled += count.bytes;
  }
  return Step::more;
}

OutputReader::Step OutputReader::take_first_bytes(std::size_t& taken) {
  std::array<std::byte, 256> first{};
  const os::IoCount count = os::read_some(fd_.get(), first);
  if (count.status == os::IoCount::would_block) return Step::empty;
  if (count.status != os::IoCount::ok) return Step::end;
  ByteView rest(first.data(), count.bytes);
  while (!rest.empty()) {  // twice where the ring wraps
    const MutableBytes room = log_.prepare(rest.size());
    std::ranges::copy(rest.first(room.size()), room.begin());
    log_.commit(stream_, room.size());
    rest = rest.subspan(room.size());
  }
  taken += count.bytes;
  if (ending_) ending_bytes_ += count.bytes;
  events_.on_output();
  return Step::more;
}

}  // namespace outpost::local
