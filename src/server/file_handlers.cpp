#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "server/loop_server.h"

namespace outpost::server {

void get_metadata(Connection& connection, wire::GetMetadataParams params, rpc::Reply reply) {
  connection.server().files().get_metadata(
      std::move(params), [reply = std::move(reply)](Result<wire::GetMetadataResult> metadata) mutable {
        if (!metadata) return reply.error(metadata.error());
        reply.ok(*metadata);
      });
}

void http_unavailable(Connection&, wire::HttpRequestParams, rpc::Reply reply) {
  reply.error({ErrorKind::unknown_method, "exec-server stub does not implement `http/request` yet"});
}

}  // namespace outpost::server
