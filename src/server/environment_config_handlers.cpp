#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "server/loop_server.h"

namespace outpost::server {

void read_environment_config(Connection& connection, wire::EnvironmentConfigParams params, rpc::Reply reply) {
  if (!connection.server().options().environment_config) {
    return reply.error({ErrorKind::unknown_method, "exec-server stub does not implement `environmentConfig/read` yet"});
  }
  connection.files().add(std::move(params), std::move(reply));
}

}  // namespace outpost::server
