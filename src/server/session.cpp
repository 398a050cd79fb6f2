#include "server/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/limits/receipts.h"

namespace outpost::server {

namespace {

std::int64_t wall_clock_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

Session::Session(Loop& loop, capability::ProcessHost& host, Shared& shared, Settings settings, OnExpired on_expired)
    : loop_(loop),
      host_(host),
      shared_(shared),
      settings_(std::move(settings)),
      scope_(host.new_scope()),
      on_expired_(std::move(on_expired)),
      created_at_ms_(wall_clock_ms()),
      expiry_(loop),
      retirement_(loop),
      backlog_end_(loop) {}

Session::~Session() {
  shared_.counts.processes.fetch_sub(open_processes_);
}

void Session::set_retention(std::chrono::milliseconds retention) {
  settings_.retention = retention;
  arm_retirement();
}

Result<> Session::take_place() {
  if (open_processes_ >= settings_.processes_max) {
    return fail(ErrorKind::limit_reached,
                "at most " + std::to_string(settings_.processes_max) + " processes may run in one session");
  }
  // Taken first and then looked at: other loops start processes at the same time.
  if (shared_.counts.processes.fetch_add(1) >= settings_.processes_everywhere_max) {
    shared_.counts.processes.fetch_sub(1);
    return fail(ErrorKind::limit_reached,
                "at most " + std::to_string(settings_.processes_everywhere_max) + " processes may run on this server");
  }
  ++open_processes_;
  return {};
}

void Session::give_place_back() {
  --open_processes_;
  shared_.counts.processes.fetch_sub(1);
}

AttachmentId Session::attach(rpc::Peer& peer, Delivery* delivery, SessionHolder* holder) {
  OUTPOST_CHECK(peer_ == nullptr);
  expiry_.cancel();
  peer_ = &peer;
  delivery_ = delivery;
  holder_ = holder;
  for (auto& [id, process] : processes_) process->on_attachment_changed();
  if (!processes_.empty()) {
    backlog_end_.start(limits::backlog_wait, [this] {
      for (auto& [id, process] : processes_) process->on_backlog_wait_over();
    });
  }
  return ++attachment_;
}

void Session::detach(AttachmentId attachment) {
  if (peer_ == nullptr || attachment != attachment_) return;
  peer_ = nullptr;
  delivery_ = nullptr;
  holder_ = nullptr;
  stalled_.clear();
  unproved_.clear();
  backlog_end_.cancel();
  detached_at_ = Loop::now();
  detached_at_ms_ = wall_clock_ms();
  for (auto& [id, process] : processes_) process->on_attachment_changed();
  expiry_.start(settings_.retention, [this] { on_expired_(*this); });
}

bool Session::expired() const {
  return peer_ == nullptr && attachment_ != 0 && Loop::now() - detached_at_ >= settings_.retention;
}

void Session::on_writable() {
  // Each gets its turn: who still can't go on waits behind the others.
  for (std::size_t left = stalled_.size(); left > 0 && peer_ != nullptr && peer_->writable(); --left) {
    const Reference reference = std::move(stalled_.front());
    stalled_.pop_front();
    if (SessionProcess* process = find(reference)) process->on_room();
  }
}

void Session::prove(std::uint64_t offset) {
  for (const Reference& reference : std::exchange(unproved_, {})) {
    // Who still waits for proof comes back by `await_proof`.
    if (SessionProcess* process = find(reference)) process->prove(offset);
  }
}

wire::ListedSession Session::listed() const {
  wire::ListedSession listed;
  listed.session_id = settings_.id;
  listed.client_name = client_name_;
  listed.attached = attached();
  listed.created_at_ms = created_at_ms_;
  if (!attached()) {
    listed.detached_at_ms.emplace(detached_at_ms_);
    listed.expires_at_ms.emplace(detached_at_ms_ + settings_.retention.count());
  }
  listed.retention_ms = settings_.retention.count();
  for (const auto& [id, process] : processes_) {
    const wire::ProcessStage stage = process->stage();
    ++(stage == wire::ProcessStage::closed   ? listed.processes.closed
       : stage == wire::ProcessStage::exited ? listed.processes.exited
                                             : listed.processes.running);
  }
  return listed;
}

void Session::start(wire::StartParams params, const telemetry::TraceContext* parent,
                    std::move_only_function<void(Result<wire::StartResult>)> done) {
  if (Result<> valid = host_.check(params); !valid) return done(fail(std::move(valid).error()));
  if (processes_.contains(params.process_id)) {
    return done(fail(ErrorKind::process_exists, "process " + params.process_id + " already exists"));
  }
  if (Result<> place = take_place(); !place) return done(fail(std::move(place).error()));
  Reference reference{params.process_id, next_start_++};
  processes_.emplace(reference.id,
                     std::make_unique<SessionProcess>(*this, params, reference.start_number, attachment_, parent));
  host_.start(scope_, std::move(params),
              [weak = weak_from_this(), reference = std::move(reference),
               done = std::move(done)](Result<capability::StartedProcess> started) mutable {
                // The connection that asked may be gone: the process belongs to the session all the same.
                if (const auto session = weak.lock()) session->finish_start(reference, std::move(started), done);
              });
}

void Session::finish_start(const Reference& reference, Result<capability::StartedProcess> started,
                           std::move_only_function<void(Result<wire::StartResult>)>& done) {
  SessionProcess* process = find(reference);
  OUTPOST_CHECK(process != nullptr);
  StartWaiters waiters = process->take_waiters();
  if (!started) {
    give_place_back();
    processes_.erase(reference.id);
    done(fail(std::move(started).error()));
    return run_after_start(reference.id, std::move(waiters));
  }
  // The answer goes out before the first event, and who waited for the start finds the process there.
  process->adopt(std::move(started->process));
  done(process->start_result(started->sandbox_type));
  run_after_start(reference.id, std::move(waiters));
  process->on_news();
}

void Session::run_after_start(const std::string& process_id, StartWaiters waiters) {
  for (StartWaiter& waiter : waiters) {
    SessionProcess* process = find(process_id);
    // One of them may have been another start of the id: the rest waits for that.
    if (process != nullptr && process->starting()) {
      process->after_start(waiter.attachment, std::move(waiter.task));
    } else {
      waiter.task();
    }
  }
}

SessionProcess* Session::find(const std::string& process_id) {
  const auto found = processes_.find(process_id);
  return found == processes_.end() ? nullptr : found->second.get();
}

SessionProcess* Session::find(const Reference& reference) {
  SessionProcess* process = find(reference.id);
  return process != nullptr && process->start_number() == reference.start_number ? process : nullptr;
}

std::vector<wire::ListedProcess> Session::list() const {
  std::vector<const SessionProcess*> processes;
  processes.reserve(processes_.size());
  for (const auto& [id, process] : processes_) processes.push_back(process.get());
  std::ranges::sort(processes, {}, &SessionProcess::start_number);
  std::vector<wire::ListedProcess> listed;
  listed.reserve(processes.size());
  for (const SessionProcess* process : processes) listed.push_back(process->listed());
  return listed;
}

void Session::terminate(std::string process_id, std::chrono::milliseconds grace,
                        std::move_only_function<void(bool running)> done) {
  SessionProcess* process = find(process_id);
  if (process == nullptr || !process->starting()) return done(process != nullptr && process->terminate(grace));
  process->after_start(any_attachment,
                       [this, process_id = std::move(process_id), grace, done = std::move(done)]() mutable {
                         terminate(std::move(process_id), grace, std::move(done));
                       });
}

void Session::terminate_all() {
  ended_ = true;
  for (auto& [id, process] : processes_) {
    if (!process->starting()) process->terminate();
  }
  host_.end_scope(scope_);
}

void Session::on_process_closed(SessionProcess& process) {
  give_place_back();
  retired_.push_back({{process.id(), process.start_number()}, Loop::now()});
  if (!retirement_.running()) arm_retirement();
}

std::optional<MonotonicTime> Session::oldest_close() {
  while (!retired_.empty() && find(retired_.front().process) == nullptr) retired_.pop_front();
  if (retired_.empty()) return std::nullopt;
  return retired_.front().closed_at;
}

void Session::forget_oldest_closed() {
  processes_.erase(retired_.front().process.id);
  retired_.pop_front();
}

void Session::each_process(const std::function<void(capability::Process&)>& use) {
  for (auto& [id, process] : processes_) {
    if (!process->starting()) use(*process->process());
  }
}

void Session::forget_retired() {
  const MonotonicTime now = Loop::now();
  while (!retired_.empty() && now - retired_.front().closed_at >= settings_.retention) {
    if (find(retired_.front().process) != nullptr) processes_.erase(retired_.front().process.id);
    retired_.pop_front();
  }
  arm_retirement();
}

void Session::arm_retirement() {
  if (retired_.empty()) return;
  retirement_.start_at(retired_.front().closed_at + settings_.retention, [this] { forget_retired(); });
}

}  // namespace outpost::server
