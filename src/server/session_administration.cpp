#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "server/loop_server.h"

namespace outpost::server {

namespace {

/// A list that every loop adds to. Touched on the loop of its reply only; the others carry it.
struct Gathering {
  rpc::Reply reply;
  std::string own_session;
  std::size_t loops_missing;
  wire::ListSessionsResult result = {};

  void add(std::vector<wire::ListedSession> sessions) {
    std::ranges::move(sessions, std::back_inserter(result.sessions));
    if (--loops_missing > 0) return;
    for (wire::ListedSession& session : result.sessions) session.current = session.session_id == own_session;
    std::ranges::sort(result.sessions, {}, [](const wire::ListedSession& session) {
      return std::pair(session.created_at_ms, std::string_view(session.session_id));
    });
    reply.ok(result);
  }
};

/// Does something with a session on the loop that it belongs to, and answers with the result here. One that isn't
/// there, or is another subject's, is told as everywhere.
void ask_at_home(LoopServer& server, std::string id, const std::string& subject, rpc::Reply reply,
                 Result<wire::EndSessionResult> (*action)(LoopServer& there, const std::string& id)) {
  const std::size_t home = SessionTable::loop_of(id, server.loops());
  server.run_on(home, [asking = server.loop_index(), id = std::move(id), subject, action,
                       reply = std::make_shared<rpc::Reply>(std::move(reply))](LoopServer& there) mutable {
    const auto found = there.sessions().find(id, subject);
    Result<wire::EndSessionResult> result = found ? action(there, id) : fail(found.error());
    there.run_on(asking, [reply = std::move(reply), result = std::move(result)](LoopServer&) {
      if (!result) return reply->error(result.error());
      reply->ok(*result);
    });
  });
}

Result<wire::EndSessionResult> refuse_to_attach(LoopServer&, const std::string& id) {
  return fail(ErrorKind::unavailable, "session " + id + " belongs to another I/O loop; resume it by initialize");
}

Result<wire::EndSessionResult> end_it(LoopServer& there, const std::string& id) {
  there.sessions().end(id);
  return wire::EndSessionResult{};
}

}  // namespace

void list_sessions(Connection& connection, wire::ListSessionsParams, rpc::Reply reply) {
  LoopServer& server = connection.server();
  const std::size_t asking = server.loop_index();
  auto gathering = std::make_shared<Gathering>(
      Gathering{.reply = std::move(reply), .own_session = connection.session().id(), .loops_missing = server.loops()});
  for (std::size_t loop = 0; loop < server.loops(); ++loop) {
    server.run_on(loop, [subject = connection.subject(), asking, gathering](LoopServer& there) mutable {
      there.run_on(asking, [gathering = std::move(gathering), sessions = there.sessions().listed(subject)](
                               LoopServer&) mutable { gathering->add(std::move(sessions)); });
    });
  }
}

void attach_session(Connection& connection, wire::AttachSessionParams params, rpc::Reply reply) {
  if (params.session_id == connection.session().id()) {
    const Session& own = connection.session();
    return reply.ok(wire::AttachSessionResult{.session_id = own.id(), .retention_ms = own.retention().count()});
  }
  if (connection.session().owns_processes()) {
    return reply.error({ErrorKind::wrong_state, "session has processes of its own"});
  }
  LoopServer& server = connection.server();
  if (SessionTable::loop_of(params.session_id, server.loops()) != server.loop_index()) {
    return ask_at_home(server, std::move(params.session_id), connection.subject(), std::move(reply), refuse_to_attach);
  }
  Result<std::shared_ptr<Session>> found = server.sessions().find(params.session_id, connection.subject());
  if (!found) return reply.error(found.error());
  if (params.force && (*found)->holder() != nullptr) {
    (*found)->holder()->expel(session_close_code, "session attached elsewhere");
  }
  connection.claim(
      *std::move(found), [&connection, reply = std::move(reply)](Result<std::shared_ptr<Session>> claimed) mutable {
        if (!claimed) return reply.error(claimed.error());
        // A start may have come before it, and its process with it, while the other connection was asked.
        if (connection.session().owns_processes()) {
          return reply.error({ErrorKind::wrong_state, "session has processes of its own"});
        }
        reply.ok(
            wire::AttachSessionResult{.session_id = (*claimed)->id(), .retention_ms = (*claimed)->retention().count()});
        const std::string left = connection.session().id();
        connection.change_session(*std::move(claimed));
        connection.server().sessions().end(left);
      });
}

void end_session(Connection& connection, wire::EndSessionParams params, rpc::Reply reply) {
  LoopServer& server = connection.server();
  if (params.session_id == connection.session().id()) {
    reply.ok(wire::EndSessionResult{});  // before its connection is closed
    return server.sessions().end(params.session_id);
  }
  ask_at_home(server, std::move(params.session_id), connection.subject(), std::move(reply), end_it);
}

}  // namespace outpost::server
