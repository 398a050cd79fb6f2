#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
#include "base/result.h"
#include "server/session.h"

namespace outpost::server {

/// The sessions of one loop, by id. Which loop a session belongs to can be read from its id, so that no common table is
/// needed: ids are drawn until their hash falls on the loop that makes them.
class SessionTable {
 public:
  SessionTable(Loop& loop, capability::ProcessHost& host, Shared& shared, std::size_t loop_index, std::size_t loops);

  /// Makes a session, detached as yet.
  Result<std::shared_ptr<Session>> create(std::string subject, std::chrono::milliseconds retention);
  /// The session of `id` for `subject`; `ErrorKind::unknown_session` if there is none, or if it has expired.
  Result<std::shared_ptr<Session>> find(const std::string& id, const std::string& subject);
  /// The sessions of a subject, in no order.
  std::vector<wire::ListedSession> listed(const std::string& subject) const;
  /// Ends a session and its processes; a connection that is attached to it is closed. Does nothing if there is none.
  void end(const std::string& id);
  /// Brings what all processes retain below its bound, as far as those of this loop can: closed processes are
  /// forgotten, the longest closed first, and then output of the others that its client has, the largest log first
  /// (3.2).
  void relieve();
  /// Ends the processes of all sessions, and the sessions.
  void end_all();
  std::size_t size() const { return sessions_.size(); }

  /// The index of the loop that a session of this id belongs to, of `loops`.
  static std::size_t loop_of(const std::string& id, std::size_t loops);

 private:
  std::string draw_id() const;
  Session* longest_closed();
  void relieve_all_loops();

  Loop& loop_;
  capability::ProcessHost& host_;
  Shared& shared_;
  std::size_t loop_index_, loops_;
  Timer relief_;  // runs while too much is retained
  std::unordered_map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace outpost::server
