#include "local/process/output_reader.h"

#include <algorithm>
#include <utility>

#include "os/io.h"

namespace outpost::local {

namespace {
constexpr std::size_t lone_piece_bytes = 1024;
}  // namespace

OutputReader::OutputReader(Loop& loop, os::FileDescriptor fd, capability::OutputStream stream, OutputLog& log,
                           MutableBytes scratch, Events events)
    : loop_(loop), fd_(std::move(fd)), stream_(stream), log_(log), scratch_(scratch), events_(std::move(events)) {
  auto watch = Watch::create(loop, fd_.get(), [this] { on_readable(); });
  if (!watch) return;
  watch_ = *std::move(watch);
  watch_->wait_readable();
}

void OutputReader::set_flowing(bool flowing) {
  if (std::exchange(flowing_, flowing) == flowing || !flowing || ended()) return;
  await_more();
}

void OutputReader::on_room() {
  if (!starved_ || ended()) return;
  // Not for a few bytes, which would be a message each. Who was ended and isn't heard by anybody needs none.
  const std::size_t worthwhile = std::min(limits::output_chunk_bytes_max, log_.retain_bytes_max() / 4);
  const bool unheard = ending_ && log_.keep() == capability::Keep::held;
  if (log_.room() < worthwhile && !unheard) return;
  if (unheard) return read_at(Loop::now());
  starved_ = false;
  if (flowing_) await_more();
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
  // One scratch full in a turn, so that a flood doesn't delay the others.
  std::size_t taken = 0;
  const Step step = take(Until::lone_piece, taken);
  if (ended()) return;
  if (over(step)) return finish();
  if (!flowing_ || starved_) return;
  if (ending_) return await_more();
  // With more to take, the wait reports again at once, behind whatever else is ready.
  const auto delay =
      step == Step::empty ? gather_.after_read(Loop::now(), taken, pipe_bytes_) : GatherPolicy::Duration::zero();
  if (delay == GatherPolicy::Duration::zero()) return watch_->wait_readable();
  read_at(Loop::now() + delay);
}

void OutputReader::drain() {
  std::size_t taken = 0;
  Step step = Step::more;
  while (flowing_ && !ended() && step == Step::more && taken < limits::fast_pipe_bytes)
    step = take(Until::empty, taken);
  if (!ended() && over(step)) finish();
}

void OutputReader::end_when_empty() {
  ending_ = true;
  drain();
}

bool OutputReader::over(Step step) const {
  if (starved_ && step != Step::end) return ending_ && log_.keep() == capability::Keep::held;
  return step == Step::end || (ending_ && (step == Step::empty || ending_bytes_ >= limits::fast_pipe_bytes));
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

OutputReader::Step OutputReader::take(Until until, std::size_t& taken) {
  const std::size_t room = log_.room();
  starved_ = room == 0;
  if (starved_) return Step::empty;
  std::size_t filled = 0;
  const Step step = fill(until, std::min(room, scratch_.size()), filled);
  if (filled == 0) return step;
  log_.append(stream_, scratch_.first(filled));
  if (filled >= limits::default_pipe_bytes / 2) enlarge_pipe();
  taken += filled;
  if (ending_) ending_bytes_ += filled;
  events_.on_output();
  return step;
}

void OutputReader::enlarge_pipe() {
  // Lets a fast program run on while we send, and us read more at a time.
  if (std::exchange(enlarged_, true)) return;
  if (os::set_pipe_size(fd_.get(), limits::fast_pipe_bytes)) pipe_bytes_ = limits::fast_pipe_bytes;
}

OutputReader::Step OutputReader::fill(Until until, std::size_t most, std::size_t& filled) {
  // A program that writes in small pieces fills one chunk with many of them.
  while (filled < most) {
    const os::IoCount count = os::read_some(fd_.get(), scratch_.first(most).subspan(filled));
    if (count.status == os::IoCount::would_block) return Step::empty;
    if (count.status != os::IoCount::ok) return Step::end;  // a terminal's EIO is its end, too
    filled += count.bytes;
    // So little means that the pipe is empty now. To ask again would only catch the next line of a busy writer, one
    // system call each; the watch reports it as well.
    if (until == Until::lone_piece && count.bytes < lone_piece_bytes && filled < most) return Step::empty;
  }
  return Step::more;
}

}  // namespace outpost::local
