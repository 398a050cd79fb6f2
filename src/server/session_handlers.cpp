#include <string>
#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "server/loop_server.h"
#include "wire/json_writer.h"

namespace outpost::server {

namespace {

/// `{"sessionId":…,"environmentInfo":…}`; what was granted is told to those who asked in our own terms only.
std::string initialize_result(const Session& session, const std::string& environment_info_json, bool told,
                              const wire::InitializeGrant& grant) {
  std::string json;
  wire::JsonWriter writer(json);
  writer.begin_object();
  writer.key("sessionId");
  writer.string(session.id());
  writer.key("environmentInfo");
  writer.raw(environment_info_json);
  if (told) {
    writer.key("outpost");
    wire::encode(writer, grant);
  }
  writer.end_object();
  return json;
}

void enter(Connection& connection, std::shared_ptr<Session> session, const wire::InitializeParams& params,
           rpc::Reply& reply) {
  const auto& asked = params.outpost.members;
  if (asked.retention_ms) {
    session->set_retention(std::min<std::chrono::milliseconds>(std::chrono::milliseconds(*asked.retention_ms),
                                                               connection.server().options().session_retention_max));
  }
  if (asked.receipts.value_or(false)) connection.delivery().use_marks();
  session->set_client_name(params.client_name);
  const wire::InitializeGrant grant{.retention_ms = session->retention().count(),
                                    .resumed = params.resume_session_id.has_value(),
                                    .receipts = std::string(name_of(connection.delivery().mode()))};
  // The answer is queued before the session is attached: no notification can come before it.
  reply.ok_json(initialize_result(*session, connection.server().environment_info_json(), params.outpost.given, grant));
  connection.enter(std::move(session));
}

}  // namespace

void initialize(Connection& connection, wire::InitializeParams params, rpc::Reply reply) {
  if (params.resume_session_id) {
    const LoopServer& server = connection.server();
    const std::size_t home = SessionTable::loop_of(*params.resume_session_id, server.loops());
    if (home != server.loop_index()) return connection.move_to(home, std::move(params), std::move(reply));
  }
  SessionTable& sessions = connection.server().sessions();
  Result<std::shared_ptr<Session>> found =
      params.resume_session_id ? sessions.find(*params.resume_session_id, connection.subject())
                               : sessions.create(connection.subject(), connection.server().options().session_retention);
  if (!found) return reply.error(found.error());
  std::shared_ptr<Session> session = *std::move(found);
  connection.claim(session, [&connection, params = std::move(params),
                             reply = std::move(reply)](Result<std::shared_ptr<Session>> claimed) mutable {
    if (!claimed) return reply.error(claimed.error());
    enter(connection, *std::move(claimed), params, reply);
  });
}

void environment_info(Connection& connection, wire::NoParams, rpc::Reply reply) {
  reply.ok_json(connection.server().environment_info_json());
}

void environment_status(Connection&, wire::NoParams, rpc::Reply reply) {
  reply.ok_json(R"({"status":"ready"})");
}

}  // namespace outpost::server
