#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "capability/process_host.h"
#include "rpc/peer.h"
#include "server/process_record.h"
#include "server/start_facts.h"
#include "server/waiting_reads.h"

namespace outpost::server {

class Session;

/// Names one attach of a session, so that an old connection's end can't clear a newer one.
using AttachmentId = std::uint64_t;
/// No attach: for what outlives the connection that it came from.
inline constexpr AttachmentId any_attachment = 0;

/// What is to be done when a start is over, however it went.
struct StartWaiter {
  AttachmentId attachment;  ///< dropped with it; `any_attachment`: done in any case
  Task task;
};
using StartWaiters = std::vector<StartWaiter>;

/// One process of a session, from the moment its id is taken: starting, running, exited or closed. Pushes its events to
/// the attached connection and serves the reads that wait for them.
class SessionProcess final : public capability::ProcessObserver {
 public:
  /// `starter`: the attachment that asked for the start; `parent`: of the span of the process, null for none.
  SessionProcess(Session& session, const wire::StartParams& params, std::uint64_t start_number, AttachmentId starter,
                 const telemetry::TraceContext* parent);
  ~SessionProcess() override;

  const std::string& id() const { return id_; }
  /// Tells this process from others that have had or will have the same id.
  std::uint64_t start_number() const { return start_number_; }
  bool starting() const { return !process_; }
  /// A start is under way that was asked for through this attachment.
  bool starting_for(AttachmentId attachment) const { return starting() && starter_ == attachment; }
  /// Does `task` behind the start that is under way, and behind those who came before; not at all if `attachment` ends
  /// before.
  void after_start(AttachmentId attachment, Task task) { waiters_.push_back({attachment, std::move(task)}); }
  /// Those who wait for the start, in their order; it is over.
  StartWaiters take_waiters() { return std::exchange(waiters_, {}); }
  /// `drain` or `hold`.
  std::string on_detach() const { return hold_ ? "hold" : "drain"; }
  /// Null while starting.
  capability::Process* process() { return process_.get(); }

  /// The start succeeded; `on_news` is due once that was answered.
  void adopt(std::unique_ptr<capability::Process> process);
  /// What the start is answered with.
  wire::StartResult start_result(wire::SandboxType sandbox_type) const;
  /// As `outpost/process/list` shows it.
  wire::ListedProcess listed() const;
  /// The connection changed: what happened until now is not pushed to the new one; what the old one asked for and
  /// still waits is abandoned.
  void on_attachment_changed();
  /// See `capability::Process::terminate`; not while starting.
  bool terminate(std::chrono::milliseconds grace = {});
  void read(const ReadQuery& query, rpc::Reply reply);
  wire::ProcessStage stage() const;
  /// Its connection was proved to have what ended at or before `offset`.
  void prove(std::uint64_t offset);
  /// A client that came back has had time enough to read what it missed.
  void on_backlog_wait_over();

  void on_news() override;
  /// Its turn came among those whose output waits for room.
  void on_room();

 private:
  /// Lets the session forget the process in time, once.
  void tell_close();
  /// Pushes what the connection can take; false when it can't take all. Without a connection events are passed over:
  /// they are found by reading.
  bool push();
  void push_event(rpc::Peer& peer, const capability::EventView& event);
  capability::Keep keep() const;
  /// Waits for proof of what was sent, and asks for it when there is much.
  void ask_for_proof();
  void on_read_answered(const AnsweredRead& answered);

  Session& session_;
  std::string id_;
  std::string id_json_;  // as every notification names it
  std::uint64_t start_number_;
  StartFacts facts_;
  AttachmentId starter_;
  StartWaiters waiters_;
  std::uint64_t pushed_seq_ = 0;
  std::uint64_t backlog_seq_ = 0;  // the last number when the connection was attached
  const bool hold_;
  std::size_t much_unproved_bytes_ = 0;
  bool awaits_proof_ = false;
  bool stalled_ = false;  // queued with the session for the time when the connection takes more
  bool exit_seen_ = false, close_told_ = false;
  WaitingReads reads_;
  ProcessRecord record_;
  std::unique_ptr<capability::Process> process_;
};

}  // namespace outpost::server
