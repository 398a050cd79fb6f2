#pragma once

#include <string_view>

#include "rpc/peer.h"

namespace outpost::server {

class Connection;

/// Methods that become usable together, as handshake errors name them (processes-and-sessions 2).
enum class Family {
  handshake,
  exec,
  filesystem,
  http,
  environment_info,
  environment_status,
  environment_config,
  outpost
};

/// How `client must call initialize before using … methods` names a family.
std::string_view family_name(Family family);

/// How `--concurrent-requests` holds a method (processes-and-sessions 4.2).
enum class Waiting {
  counts,
  exempt,  ///< waits only where requests run strictly in turn; doesn't count against those in flight
  never,   ///< answered at once in any case
};

/// One method of the API.
struct Route {
  std::string_view method;
  /// Decodes the params, checks the handshake, handles.
  void (*handle)(Connection& connection, rpc::Request& request);
  Waiting waiting = Waiting::counts;
};

/// The route of a method, or null.
const Route* find_route(std::string_view method);

}  // namespace outpost::server
