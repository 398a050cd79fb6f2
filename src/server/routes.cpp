#include "server/routes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
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

/// The params of a request that waits for its turn, and its answer, which a cancel may give before.
template <class Params>
struct Held {
  Params params;
  rpc::Reply reply;
};
template <class Params>
std::shared_ptr<Held<Params>> hold(Params params, rpc::Reply reply) {
  auto held = std::make_shared<Held<Params>>(std::move(params), std::move(reply));
  held->reply.when_cancelled([weak = std::weak_ptr(held)] {
    if (const auto given_up = weak.lock()) given_up->reply.error({ErrorKind::cancelled, "request cancelled"});
  });
  return held;
}

/// Handles what was held, unless it was answered meanwhile.
template <auto handler, class Params>
Task when_its_turn(Connection& connection, std::shared_ptr<Held<Params>> held) {
  return [&connection, held = std::move(held)] {
    if (!held->reply.open()) return;
    held->reply.when_cancelled({});
    connection.contain([&] { handler(connection, std::move(held->params), std::move(held->reply)); });
  };
}

/// Runs a request about one process as soon as no start of it is under way that this connection asked for
/// (processes-and-sessions 4.2).
template <class Params, void (*handler)(Connection&, Params, rpc::Reply)>
void behind_start(Connection& connection, Params params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr || !process->starting_for(connection.attachment())) {
    return handler(connection, std::move(params), std::move(reply));
  }
  // Dropped with the attachment, so the connection is there when it runs.
  process->after_start(connection.attachment(),
                       when_its_turn<handler>(connection, hold(std::move(params), std::move(reply))));
}

/// As `route`, for methods about one process: what one of them meets is what was asked for before it. `run`: the
/// handler, or `behind_start` of it.
template <class Params, void (*run)(Connection&, Params, rpc::Reply), Family family = Family::exec>
void process_route(Connection& connection, rpc::Request& request) {
  Result<Params> params = wire::decode<Params>(request.params);
  if (!params) return request.reply.error(params.error());
  if (const auto error = connection.handshake_error(family)) return request.reply.error(*error);
  FileOrder& order = connection.files().order();
  if (!order.start_waits(params->process_id)) {
    return run(connection, *std::move(params), std::move(request.reply));
  }
  const std::string id = params->process_id;
  order.follow_start(id, when_its_turn<run>(connection, hold(*std::move(params), std::move(request.reply))));
}

/// process/start begins when the changes of files are done that its connection asked for before.
void start_route(Connection& connection, rpc::Request& request) {
  using Params = wire::StartParams;
  constexpr auto run = behind_start<Params, start_process>;
  Result<Params> params = wire::decode<Params>(request.params);
  if (!params) return request.reply.error(params.error());
  if (const auto error = connection.handshake_error(Family::exec)) return request.reply.error(*error);
  FileOrder& order = connection.files().order();
  if (order.size() == 0) return run(connection, *std::move(params), std::move(request.reply));
  std::string id = params->process_id;
  auto held = hold(*std::move(params), std::move(request.reply));
  if (order.start_waits(id)) return order.follow_start(id, when_its_turn<run>(connection, std::move(held)));
  order.add(order.next_number(), FileTurn::start, false, std::move(id),
            when_its_turn<run>(connection, std::move(held)));
}

/// As `route`, for what is asked of the files of the machine: it runs in its turn.
template <class Params, Family family = Family::filesystem>
void file_route(Connection& connection, rpc::Request& request) {
  Result<Params> params = wire::decode<Params>(request.params);
  if (!params) return request.reply.error(params.error());
  if (const auto error = connection.handshake_error(family)) return request.reply.error(*error);
  connection.files().add(*std::move(params), std::move(request.reply));
}

// The whole API, sorted by name. A family whose feature isn't there yet has its rows all the same where the order of
// checks needs them: such a method is answered as unknown once the handshake is done.
using enum Waiting;
constexpr std::array routes = {
    Route{"environment/info", route<wire::NoParams, environment_info, Family::environment_info>, exempt},
    Route{"environment/status", route<wire::NoParams, environment_status, Family::environment_status>, exempt},
    Route{"environmentConfig/read",
          route<wire::EnvironmentConfigParams, read_environment_config, Family::environment_config>},
    Route{"fs/canonicalize", file_route<wire::CanonicalizeParams>},
    Route{"fs/close", file_route<wire::CloseParams>, exempt},
    Route{"fs/copy", file_route<wire::CopyParams>},
    Route{"fs/createDirectory", file_route<wire::CreateDirectoryParams>},
    Route{"fs/getMetadata", file_route<wire::GetMetadataParams>},
    Route{"fs/open", file_route<wire::OpenParams>},
    Route{"fs/readBlock", file_route<wire::ReadBlockParams>},
    Route{"fs/readDirectory", file_route<wire::ReadDirectoryParams>},
    Route{"fs/readFile", file_route<wire::ReadFileParams>},
    Route{"fs/remove", file_route<wire::RemoveParams>},
    Route{"fs/walk", file_route<wire::WalkParams>},
    Route{"fs/watchMissing", file_route<wire::WatchMissingParams>},
    Route{"fs/writeBlock", file_route<wire::WriteBlockParams>},
    Route{"fs/writeFile", file_route<wire::WriteFileParams>},
    Route{"http/request", route<wire::HttpRequestParams, http_unavailable, Family::http>},
    Route{"initialize", route<wire::InitializeParams, initialize, Family::handshake>},
    Route{"outpost/cancel", route<wire::CancelParams, cancel_request, Family::outpost>, never},
    Route{"outpost/fs/digest", file_route<wire::DigestParams, Family::outpost>},
    Route{"outpost/fs/readDirectoryFull", file_route<wire::ReadDirectoryFullParams, Family::outpost>},
    Route{"outpost/fs/rename", file_route<wire::RenameParams, Family::outpost>},
    Route{"outpost/fs/setMetadata", file_route<wire::SetMetadataParams, Family::outpost>},
    Route{"outpost/process/closeStdin",
          process_route<wire::CloseStdinParams, behind_start<wire::CloseStdinParams, close_stdin>, Family::outpost>},
    Route{"outpost/process/list", route<wire::ListParams, list_processes, Family::outpost>, never},
    Route{"outpost/process/resize",
          process_route<wire::ResizeParams, behind_start<wire::ResizeParams, resize_terminal>, Family::outpost>},
    Route{"outpost/process/signal",
          process_route<wire::AnySignalParams, behind_start<wire::AnySignalParams, send_signal>, Family::outpost>,
          exempt},
    Route{"outpost/session/attach", route<wire::AttachSessionParams, attach_session, Family::outpost>, never},
    Route{"outpost/session/end", route<wire::EndSessionParams, end_session, Family::outpost>, never},
    Route{"outpost/session/list", route<wire::ListSessionsParams, list_sessions, Family::outpost>, never},
    Route{"process/read", process_route<wire::ReadParams, behind_start<wire::ReadParams, read_process>>},
    Route{"process/signal", process_route<wire::SignalParams, behind_start<wire::SignalParams, signal_process>>,
          exempt},
    Route{"process/start", start_route},
    Route{"process/terminate", process_route<wire::TerminateParams, terminate_process>, exempt},
    Route{"process/write", process_route<wire::WriteParams, behind_start<wire::WriteParams, write_process>>},
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
    case Family::environment_config:
      return "environment config";
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
