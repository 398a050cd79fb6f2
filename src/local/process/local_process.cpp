#include "local/process/local_process.h"

#include <csignal>
#include <utility>

#include "os/terminal.h"

namespace outpost::local {

using capability::OutputStream;
using wire::EndedBy;
using wire::WriteStatus;

namespace {

/// On a terminal every death by signal is a 1, as the reference has it (processes-and-sessions 9).
int wire_code(const os::ExitStatus& status, bool terminal) {
  return terminal && status.signal != 0 ? 1 : status.wire_code();
}

int number_of(wire::AnySignal signal) {
  using enum wire::AnySignal;
  switch (signal) {
    case term:
      return SIGTERM;
    case hup:
      return SIGHUP;
    case quit:
      return SIGQUIT;
    case usr1:
      return SIGUSR1;
    case usr2:
      return SIGUSR2;
    case kill:
      return SIGKILL;
    case int_:
      return SIGINT;
    case winch:
      return SIGWINCH;
    case cont:
      return SIGCONT;
    case stop:
      return SIGSTOP;
  }
  std::unreachable();
}

}  // namespace

LocalProcess::LocalProcess(const ProcessResources& resources, os::SpawnedChild child, Containment::Place place,
                           Streams streams, Options options)
    : resources_(resources),
      log_(options.retain_bytes, options.retained),
      child_(std::move(child)),
      place_(place),
      has_terminal_(streams.terminal_read) {
  open_streams(std::move(streams));
  if (auto watch = Watch::create(resources_.loop, child_.pidfd.get(), [this] { on_leader_ended(); })) {
    exit_watch_ = *std::move(watch);
    exit_watch_->wait_readable();
  }
  if (!options.timeout) return;
  timeout_ = std::make_unique<Timer>(resources_.loop);
  timeout_->start(*options.timeout, [this, grace = options.timeout_grace] {
    if (leader_lives()) end_by(EndedBy::timeout, grace);
  });
}

void LocalProcess::open_streams(Streams streams) {
  const auto reader = [&](os::FileDescriptor& fd, OutputStream stream) {
    OutputReader::Events events{.on_output = [this] { tell(); }, .on_end = [this] { close_if_done(); }};
    return std::make_unique<OutputReader>(resources_.loop, std::move(fd), stream, log_, resources_.scratch,
                                          std::move(events));
  };
  const auto writer = [&](os::FileDescriptor& fd) {
    return fd ? std::make_unique<StdinWriter>(resources_.loop, std::move(fd)) : nullptr;
  };
  if (has_terminal_) {
    stdout_ = reader(streams.terminal_read, OutputStream::pty);
    stdin_ = writer(streams.terminal_write);
    return;
  }
  stdout_ = reader(streams.stdout_read, OutputStream::stdout);
  stderr_ = reader(streams.stderr_read, OutputStream::stderr);
  stdin_ = writer(streams.stdin_write);
}

bool LocalProcess::watched() const {
  return exit_watch_ != nullptr && stdout_->watched() && (!stderr_ || stderr_->watched()) &&
         (!stdin_ || stdin_->watched());
}

LocalProcess::~LocalProcess() {
  if (!exit_code_) {
    os::kill_group(child_.pid, SIGKILL);
    resources_.containment.end(place_);
    exit_watch_.reset();
    resources_.reaper.adopt(std::move(child_));
  }
  leave_place();
}

template <class Action>
void LocalProcess::each_reader(Action action) {
  action(*stdout_);
  if (stderr_) action(*stderr_);
}

capability::ProcessState LocalProcess::state() const {
  capability::ProcessState state = log_.state();
  state.ended_by = ended_by_;
  return state;
}

capability::ProcessDetails LocalProcess::details() const {
  return {.pid = child_.pid,
          .first_seq = log_.first_seq(),
          .retained_bytes = log_.retained_bytes(),
          .retain_bytes_max = log_.retain_bytes_max()};
}

void LocalProcess::set_flowing(bool flowing) {
  each_reader([&](OutputReader& reader) { reader.set_flowing(flowing); });
}

void LocalProcess::set_keep(capability::Keep keep) {
  log_.set_keep(keep);
  fill_room();
}

void LocalProcess::prove_sent(std::uint64_t offset) {
  log_.prove_sent(offset);
  fill_room();
}

void LocalProcess::prove_through(std::uint64_t seq) {
  log_.prove_through(seq);
  fill_room();
}

void LocalProcess::release_backlog() {
  log_.release_backlog();
  fill_room();
}

void LocalProcess::fill_room() {
  each_reader([](OutputReader& reader) { reader.on_room(); });
}

void LocalProcess::write(capability::WriteRequest request, capability::WriteDone done) {
  if (!stdin_) return done(WriteStatus::stdin_closed);
  each_reader([](OutputReader& reader) { reader.input_given(); });
  stdin_->write(std::move(request), std::move(done));
}

WriteStatus LocalProcess::close_stdin() {
  if (!stdin_) return WriteStatus::stdin_closed;
  stdin_->close();
  return WriteStatus::accepted;
}

bool LocalProcess::signal(wire::AnySignal signal, wire::SignalTarget target) {
  if (!leader_lives()) return false;
  if (target == wire::SignalTarget::group) return os::kill_group(child_.pid, number_of(signal));
  return has_terminal_ && !stdout_->ended() && os::signal_foreground(stdout_->descriptor(), number_of(signal));
}

void LocalProcess::resize(const wire::TerminalSize& size) {
  if (!has_terminal_ || stdout_->ended()) return;
  os::resize_terminal(stdout_->descriptor(), {.rows = static_cast<std::uint16_t>(size.rows.value),
                                              .cols = static_cast<std::uint16_t>(size.cols.value)});
}

bool LocalProcess::terminate(std::chrono::milliseconds grace) {
  if (!leader_lives()) return false;
  end_by(EndedBy::terminate, grace);
  return true;
}

void LocalProcess::end_by(EndedBy reason, std::chrono::milliseconds grace) {
  if (ended_by_ == EndedBy::itself) ended_by_ = reason;
  if (grace.count() == 0) return kill_tree();
  const MonotonicTime deadline = Timer::deadline_after(grace);
  if (!kill_) {
    kill_ = std::make_unique<Timer>(resources_.loop);
    os::kill_group(child_.pid, SIGTERM);
  } else if (kill_at_ <= deadline) {
    return;
  }
  kill_at_ = deadline;
  kill_->start_at(deadline, [this] {
    if (leader_lives()) kill_tree();
  });
}

void LocalProcess::kill_tree() {
  // The group at once; who left it is found and killed a moment later.
  os::kill_group(child_.pid, SIGKILL);
  resources_.containment.end(place_);
  if (!stdin_) return;
  // What terminals answer differs: the reference accepts and loses it.
  if (has_terminal_) return stdin_->end(WriteStatus::stdin_closed);
  stdin_->end(fail(ErrorKind::stdin_failed, "failed to write to process stdin"));
}

bool LocalProcess::leader_lives() {
  // Its end and a request may be reported in one turn of the loop, the request first: then its number must not be used
  // any more, and what it left running stays.
  if (!exit_code_ && os::has_ended(child_.pidfd.get())) on_leader_ended();
  return !exit_code_;
}

void LocalProcess::on_leader_ended() {
  const std::optional<os::ExitStatus> status = resources_.spawn_thread.exit_status(child_);
  if (!status) return exit_watch_->wait_readable();
  exit_code_ = wire_code(*status, has_terminal_);
  timeout_.reset();
  // What the leader wrote before it ended is in the pipes by now, so it comes before the exit.
  each_reader([](OutputReader& reader) { reader.drain(); });
  log_.append_exit(*exit_code_, false);
  exit_watch_.reset();
  child_.pidfd.reset();
  if (ended_by_ != EndedBy::itself) {
    if (kill_) kill_->cancel();
    resources_.containment.end(place_);
    // Whoever else holds the pipes isn't waited for.
    each_reader([](OutputReader& reader) { reader.end_when_empty(); });
  }
  tell();
  close_if_done();
}

void LocalProcess::close_if_done() {
  if (!exit_code_ || log_.state().closed || !stdout_->ended() || (stderr_ && !stderr_->ended())) return;
  // The readers' end is told while the exit is being handled; the exit comes first.
  if (!log_.state().exited()) return;
  log_.append_close();
  if (stdin_) stdin_->end(WriteStatus::stdin_closed);
  leave_place();
  tell();
}

void LocalProcess::leave_place() {
  if (!std::exchange(left_place_, true)) resources_.containment.leave(place_);
}

void LocalProcess::tell() {
  if (observer_ != nullptr) observer_->on_news();
}

}  // namespace outpost::local
