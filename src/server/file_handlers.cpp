#include <utility>

#include "server/connection.h"
#include "server/handlers.h"

namespace outpost::server {

void cancel_request(Connection& connection, wire::CancelParams params, rpc::Reply reply) {
  if (params.id.has_value() == params.http_request_id.has_value()) {
    return reply.error({ErrorKind::invalid_params, "exactly one of id and httpRequestId is needed"});
  }
  // Streams of http/request come with that method.
  reply.ok(wire::CancelResult{params.id && connection.cancel(*params.id, reply)});
}

void http_unavailable(Connection&, wire::HttpRequestParams, rpc::Reply reply) {
  reply.error({ErrorKind::unknown_method, "exec-server stub does not implement `http/request` yet"});
}

}  // namespace outpost::server
