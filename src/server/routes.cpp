#include "server/routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "wire/codec.h"

namespace outpost::server {

namespace {

/// The order of checks of every request: its params, then the state of the handshake, then the method itself. (That the
/// method is known came first.)
template <class Params, void (*handler)(Connection&, Params, rpc::Reply), Family family>
void route(Connection& connection, rpc::Request& request) {
  Result<Params> params = wire::decode<Params>(request.params);
  if (!params) return request.reply.error(params.error());
  if (const auto error = connection.handshake_error(family)) return request.reply.error(*error);
  handler(connection, *std::move(params), std::move(request.reply));
}

/// As `route`, for methods about one process: they wait for a start of it that this connection asked for
/// (processes-and-sessions 4.2).
template <class Params, void (*handler)(Connection&, Params, rpc::Reply), Family family = Family::exec>
void process_route(Connection& connection, rpc::Request& request) {
  Result<Params> params = wire::decode<Params>(request.params);
  if (!params) return request.reply.error(params.error());
  if (const auto error = connection.handshake_error(family)) return request.reply.error(*error);
  SessionProcess* process = connection.session().find(params->process_id);
  if (process == nullptr || !process->starting_for(connection.attachment())) {
    return handler(connection, *std::move(params), std::move(request.reply));
  }
  // Dropped with the attachment, so the connection is there when it runs.
  process->after_start(connection.attachment(),
                       [&connection, params = *std::move(params), reply = std::move(request.reply)]() mutable {
                         connection.contain([&] { handler(connection, std::move(params), std::move(reply)); });
                       });
}

// The whole API, sorted by name. A family whose feature isn't there yet has its rows all the same where the order of
// checks needs them: such a method is answered as unknown once the handshake is done.
constexpr std::array routes = {
    Route{"environment/info", route<wire::NoParams, environment_info, Family::environment_info>, false},
    Route{"environment/status", route<wire::NoParams, environment_status, Family::environment_status>, false},
    Route{"fs/getMetadata", route<wire::GetMetadataParams, get_metadata, Family::filesystem>},
    Route{"http/request", route<wire::HttpRequestParams, http_unavailable, Family::http>},
    Route{"initialize", route<wire::InitializeParams, initialize, Family::handshake>},
    Route{"outpost/process/closeStdin", process_route<wire::CloseStdinParams, close_stdin, Family::outpost>},
    Route{"outpost/process/list", route<wire::ListParams, list_processes, Family::outpost>, false},
    Route{"outpost/process/resize", process_route<wire::ResizeParams, resize_terminal, Family::outpost>},
    Route{"outpost/process/signal", route<wire::AnySignalParams, send_signal, Family::outpost>, false},
    Route{"outpost/session/attach", route<wire::AttachSessionParams, attach_session, Family::outpost>, false},
    Route{"outpost/session/end", route<wire::EndSessionParams, end_session, Family::outpost>, false},
    Route{"outpost/session/list", route<wire::ListSessionsParams, list_sessions, Family::outpost>, false},
    Route{"process/read", process_route<wire::ReadParams, read_process>},
    Route{"process/signal", process_route<wire::SignalParams, signal_process>, false},
    Route{"process/start", process_route<wire::StartParams, start_process>},
    Route{"process/terminate", route<wire::TerminateParams, terminate_process, Family::exec>, false},
    Route{"process/write", process_route<wire::WriteParams, write_process>},
};
static_assert(std::ranges::is_sorted(routes, {}, &Route::method));

}  // namespace

std::string_view family_name(Family family) {
  switch (family) {
    case Family::handshake:
      return "handshake";
    case Family::exec:
      return "exec";
    case Family::filesystem:
      return "filesystem";
    case Family::http:
      return "http";
    case Family::environment_info:
      return "environment info";
    case Family::environment_status:
      return "environment status";
    case Family::outpost:
      return "outpost";
  }
  std::unreachable();
}

const Route* find_route(std::string_view method) {
  const auto found = std::ranges::lower_bound(routes, method, {}, &Route::method);
  return found != routes.end() && found->method == method ? &*found : nullptr;
}

}  // namespace outpost::server
