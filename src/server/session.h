#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
#include "capability/process_host.h"
#include "rpc/peer.h"
#include "server/delivery.h"
#include "server/link_watch.h"
#include "server/session_process.h"
#include "server/shared.h"

namespace outpost::server {

/// With which a connection is closed whose session went away (extensions 8).
inline constexpr std::uint16_t session_close_code = 4001;

/// The connection that a session is attached to, for those who ask for the session.
class SessionHolder {
 public:
  virtual ~SessionHolder() = default;
  /// Finds out whether the connection lives; one that doesn't has left the session before `done` is called.
  virtual void probe(LinkWatch::ProbeDone done) = 0;
  /// The session goes to somebody else, or ends: the connection leaves it, and is closed with that code and text.
  virtual void expel(std::uint16_t close_code, const std::string& reason) = 0;
};

/// What a client has on this machine, beyond any one connection: its processes (processes-and-sessions 3). At most one
/// connection is attached; its notifications go there. Belongs to one loop. Owned by a `SessionTable`.
class Session : public std::enable_shared_from_this<Session> {
 public:
  using OnExpired = std::function<void(Session&)>;

  struct Settings {
    std::string id;
    std::string subject;
    std::chrono::milliseconds retention;
    std::size_t processes_max;             ///< of this session, not closed
    std::size_t processes_everywhere_max;  ///< of all sessions together
    std::function<void()> on_full;         ///< all processes together retain as much as they may
  };

  /// `on_expired` is called from the loop when nobody came back within the retention.
  Session(Loop& loop, capability::ProcessHost& host, Shared& shared, Settings settings, OnExpired on_expired);
  ~Session();

  const std::string& id() const { return settings_.id; }
  const std::string& subject() const { return settings_.subject; }
  Loop& loop() { return loop_; }
  std::chrono::milliseconds retention() const { return settings_.retention; }
  /// From now on, also for the processes that have closed before.
  void set_retention(std::chrono::milliseconds retention);

  bool attached() const { return peer_ != nullptr; }
  /// Nobody may be attached. All are borrowed until the detach. Without `delivery` nothing is proved but by reading.
  AttachmentId attach(rpc::Peer& peer, Delivery* delivery = nullptr, SessionHolder* holder = nullptr);
  /// Of the attached connection; null if nobody is, or nobody can be asked.
  SessionHolder* holder() { return holder_; }
  /// For the list of sessions.
  void set_client_name(std::string name) { client_name_ = std::move(name); }
  wire::ListedSession listed() const;
  bool owns_processes() const { return !processes_.empty(); }
  /// The attached connection was proved to have what ended at or before `offset`.
  void prove(std::uint64_t offset);
  /// Does nothing if `attachment` isn't the current one any more.
  void detach(AttachmentId attachment);
  /// It is out of the table, and over.
  bool ended() const { return ended_ || expired(); }
  /// The detach was so long ago that the session is over, though it may still stand in the table.
  bool expired() const;
  /// The attached connection takes output again.
  void on_writable();

  /// Takes the id, starts the process and calls `done` from the loop. Fails if the id is in use or the bound is met.
  /// `parent`: of the span of the process; null: none.
  void start(wire::StartParams params, const telemetry::TraceContext* parent,
             std::move_only_function<void(Result<wire::StartResult>)> done);
  /// Null if there is no such id.
  SessionProcess* find(const std::string& process_id);
  /// Ends a process, if there is one that runs; one that starts is ended as soon as it has, also when the connection is
  /// gone that asked (processes-and-sessions 4.2). `done` is told whether there was something to end. `grace`: see
  /// `capability::Process::terminate`.
  void terminate(std::string process_id, std::chrono::milliseconds grace,
                 std::move_only_function<void(bool running)> done);
  /// In order of their start.
  std::vector<wire::ListedProcess> list() const;
  /// Ends every process, as terminate does, and whatever earlier ones have left running. Nothing is started any more.
  void terminate_all();

  /// When the process closed that is closed longest; none if all have been forgotten.
  std::optional<MonotonicTime> oldest_close();
  /// Forgets that process before its time.
  void forget_oldest_closed();
  /// Calls `use` with every process that isn't starting.
  void each_process(const std::function<void(capability::Process&)>& use);
  /// The processes have retained more; where that is too much, `Settings::on_full` is told.
  void check_retained() {
    if (shared_.retained != nullptr && shared_.retained->full()) settings_.on_full();
  }

  /// For `SessionProcess`: where notifications go, or null; the order in which stalled processes go on.
  rpc::Peer* peer() { return peer_; }
  telemetry::Recorder* recorder() { return shared_.recorder; }
  Delivery* delivery() { return delivery_; }
  void wait_for_room(SessionProcess& process) { stalled_.push_back({process.id(), process.start_number()}); }
  /// It has sent what isn't proved: `prove` tells it.
  void await_proof(SessionProcess& process) { unproved_.push_back({process.id(), process.start_number()}); }
  void on_process_closed(SessionProcess& process);

 private:
  struct Reference {
    std::string id;
    std::uint64_t start_number;
  };
  struct Retired {
    Reference process;
    MonotonicTime closed_at;
  };
  SessionProcess* find(const Reference& reference);
  void finish_start(const Reference& reference, Result<capability::StartedProcess> started,
                    std::move_only_function<void(Result<wire::StartResult>)>& done);
  void run_after_start(const std::string& process_id, StartWaiters waiters);
  void forget_retired();
  /// Waits for the end of the retention of the process that closed first.
  void arm_retirement();
  /// Takes the place of one more process that is not closed, if there is one left; `give_place_back` ends that.
  Result<> take_place();
  void give_place_back();

  Loop& loop_;
  capability::ProcessHost& host_;
  Shared& shared_;
  Settings settings_;
  const capability::ProcessHost::Scope scope_;
  OnExpired on_expired_;
  rpc::Peer* peer_ = nullptr;
  Delivery* delivery_ = nullptr;
  SessionHolder* holder_ = nullptr;
  AttachmentId attachment_ = 0;
  MonotonicTime detached_at_{};
  std::string client_name_;
  bool ended_ = false;
  std::int64_t created_at_ms_, detached_at_ms_ = 0;  // since 1970
  Timer expiry_;
  Timer retirement_;
  Timer backlog_end_;
  std::uint64_t next_start_ = 1;
  std::size_t open_processes_ = 0;  // starting, running or exited; not closed
  std::unordered_map<std::string, std::unique_ptr<SessionProcess>> processes_;
  std::vector<Reference> unproved_;
  std::deque<Reference> stalled_;  // whose output waits for room, the longest waiting first
  std::deque<Retired> retired_;    // closed processes, the longest closed first
};

}  // namespace outpost::server
