#include "local/process/local_process.h"

#include <csignal>
#include <utility>

namespace outpost::local {

using capability::OutputStream;
using wire::WriteStatus;

LocalProcess::LocalProcess(Loop& loop, os::SpawnThread& spawn_thread, Reaper& reaper, os::SpawnedChild child,
                           Streams streams, MutableBytes scratch)
    : spawn_thread_(spawn_thread), reaper_(reaper), child_(std::move(child)) {
  const auto events = [this] {
    return OutputReader::Events{.on_output = [this] { tell(); }, .on_end = [this] { close_if_done(); }};
  };
  const auto reader = [&](os::FileDescriptor& fd, OutputStream stream) {
    return std::make_unique<OutputReader>(loop, std::move(fd), stream, log_, scratch, events());
  };
  stdout_ = reader(streams.stdout_read, OutputStream::stdout);
  stderr_ = reader(streams.stderr_read, OutputStream::stderr);
  if (streams.stdin_write) stdin_ = std::make_unique<StdinWriter>(loop, std::move(streams.stdin_write));
  exit_watch_ = std::make_unique<Watch>(loop, child_.pidfd.get(), [this] { on_leader_ended(); });
  exit_watch_->wait_readable();
}

LocalProcess::~LocalProcess() {
  if (!leader_alive()) return;
  os::kill_group(child_.pid, SIGKILL);
  exit_watch_.reset();
  reaper_.adopt(std::move(child_));
}

void LocalProcess::set_flowing(bool flowing) {
  stdout_->set_flowing(flowing);
  stderr_->set_flowing(flowing);
}

void LocalProcess::write(capability::WriteRequest request, capability::WriteDone done) {
  if (!stdin_) return done(WriteStatus::stdin_closed);
  stdout_->input_given();
  stderr_->input_given();
  stdin_->write(std::move(request), std::move(done));
}

WriteStatus LocalProcess::close_stdin() {
  if (!stdin_) return WriteStatus::stdin_closed;
  stdin_->close();
  return WriteStatus::accepted;
}

void LocalProcess::interrupt() {
  if (leader_alive()) os::kill_group(child_.pid, SIGINT);
}

bool LocalProcess::terminate() {
  if (!leader_alive()) return false;
  terminated_ = true;
  os::kill_group(child_.pid, SIGKILL);
  if (stdin_) stdin_->end(fail(ErrorKind::stdin_failed, "failed to write to process stdin"));
  return true;
}

void LocalProcess::on_leader_ended() {
  const std::optional<os::ExitStatus> status = spawn_thread_.exit_status(child_);
  if (!status) return exit_watch_->wait_readable();
  exit_code_ = status->wire_code();
  // What the leader wrote before it ended is in the pipes by now, so it comes before the exit.
  stdout_->drain();
  stderr_->drain();
  log_.append_exit(*exit_code_, false);
  exit_watch_.reset();
  child_.pidfd.reset();
  if (terminated_) {
    // Whoever else holds the pipes isn't waited for.
    stdout_->end_when_empty();
    stderr_->end_when_empty();
  }
  tell();
  close_if_done();
}

void LocalProcess::close_if_done() {
  if (leader_alive() || log_.state().closed || !stdout_->ended() || !stderr_->ended()) return;
  // The readers' end is told while the exit is being handled; the exit comes first.
  if (!log_.state().exited()) return;
  log_.append_close();
  if (stdin_) stdin_->end(WriteStatus::stdin_closed);
  tell();
}

void LocalProcess::tell() {
  if (observer_ != nullptr) observer_->on_news();
}

}  // namespace outpost::local
