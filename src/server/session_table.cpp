#include "server/session_table.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/limits/processes.h"
#include "base/uuid.h"
#include "server/loop_server.h"

namespace outpost::server {

SessionTable::SessionTable(Loop& loop, capability::ProcessHost& host, Shared& shared, std::size_t loop_index,
                           std::size_t loops)
    : loop_(loop), host_(host), shared_(shared), loop_index_(loop_index), loops_(loops), relief_(loop) {}

Result<std::shared_ptr<Session>> SessionTable::create(std::string subject, std::chrono::milliseconds retention) {
  if (shared_.counts.sessions.fetch_add(1) >= shared_.options.sessions_max) {
    shared_.counts.sessions.fetch_sub(1);
    return fail(ErrorKind::limit_reached,
                "at most " + std::to_string(shared_.options.sessions_max) + " sessions may exist");
  }
  std::string id = draw_id();
  Session::Settings settings{.id = id,
                             .subject = std::move(subject),
                             .retention = std::min(retention, shared_.options.session_retention_max),
                             .processes_max = shared_.options.processes_per_session_max,
                             .processes_everywhere_max = shared_.options.processes_max,
                             .on_full = [this] {
                               // Not now: a process is in the midst of its news.
                               if (!relief_.running()) relief_.start({}, [this] { relieve_all_loops(); });
                             }};
  auto session = std::make_shared<Session>(loop_, host_, shared_, std::move(settings),
                                           [this](Session& expired) { end(std::string(expired.id())); });
  sessions_.emplace(std::move(id), session);
  return session;
}

Result<std::shared_ptr<Session>> SessionTable::find(const std::string& id, const std::string& subject) {
  const auto found = sessions_.find(id);
  // A session of somebody else doesn't exist for this one, and at the deadline expiry wins.
  if (found == sessions_.end() || found->second->subject() != subject || found->second->expired()) {
    return fail(ErrorKind::unknown_session, "unknown session id " + id);
  }
  return found->second;
}

Session* SessionTable::longest_closed() {
  Session* longest = nullptr;
  std::optional<MonotonicTime> since;
  for (const auto& [id, session] : sessions_) {
    const std::optional<MonotonicTime> closed = session->oldest_close();
    if (!closed || (since && *closed >= *since)) continue;
    since = closed;
    longest = session.get();
  }
  return longest;
}

void SessionTable::relieve() {
  capability::RetainedBudget& budget = *shared_.retained;
  while (budget.full()) {
    Session* session = longest_closed();
    if (session == nullptr) break;
    session->forget_oldest_closed();
  }
  std::vector<std::pair<std::size_t, capability::Process*>> by_size;
  for (const auto& [id, session] : sessions_) {
    session->each_process(
        [&](capability::Process& process) { by_size.emplace_back(process.details().retained_bytes, &process); });
  }
  std::ranges::sort(by_size, std::greater());
  for (const auto& [bytes, process] : by_size) {
    if (!budget.full()) break;
    process->evict_proved(budget.excess());
  }
  for (const auto& [bytes, process] : by_size) process->on_room();
}

void SessionTable::relieve_all_loops() {
  relieve();
  for (std::size_t loop = 0; loop < loops_; ++loop) {
    if (loop != loop_index_) shared_.post_to(loop, [](LoopServer& there) { there.sessions().relieve(); });
  }
  // What makes room next may be anything, on any loop.
  if (shared_.retained->full()) relief_.start(limits::relief_pause, [this] { relieve_all_loops(); });
}

std::vector<wire::ListedSession> SessionTable::listed(const std::string& subject) const {
  std::vector<wire::ListedSession> listed;
  for (const auto& [id, session] : sessions_) {
    if (session->subject() == subject && !session->expired()) listed.push_back(session->listed());
  }
  return listed;
}

void SessionTable::end(const std::string& id) {
  // The session may be on the stack of its own timer: it goes when the handler is over.
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  std::shared_ptr<Session> ended = std::move(found->second);
  sessions_.erase(found);
  shared_.counts.sessions.fetch_sub(1);
  if (ended->holder() != nullptr) ended->holder()->expel(session_close_code, "session ended");
  ended->terminate_all();
  loop_.post([ended = std::move(ended)]() mutable { ended.reset(); });
}

void SessionTable::end_all() {
  while (!sessions_.empty()) end(std::string(sessions_.begin()->first));
}

std::size_t SessionTable::loop_of(const std::string& id, std::size_t loops) {
  return std::hash<std::string>{}(id) % loops;
}

std::string SessionTable::draw_id() const {
  for (;;) {
    std::string id = random_uuid_v4();
    if (loop_of(id, loops_) == loop_index_ && !sessions_.contains(id)) return id;
  }
}

}  // namespace outpost::server
