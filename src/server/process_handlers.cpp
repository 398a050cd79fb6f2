#include <algorithm>
#include <array>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/list.hpp>
#include <limits>
#include <string>
#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "server/loop_server.h"

namespace outpost::server {

namespace {

constexpr std::size_t write_statuses =
    boost::mp11::mp_size<boost::describe::describe_enumerators<wire::WriteStatus>>::value;

std::chrono::milliseconds wait_of(const wire::ReadParams& params) {
  constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(params.wait_ms.value_or(0), longest)));
}

/// What is wrong with a view is told before the process is looked for.
Result<ReadQuery> query_of(const wire::ReadParams& params) {
  ReadQuery query{.after_seq = params.after_seq.value_or(0),
                  .bytes_max = params.max_bytes,
                  .wait = wait_of(params),
                  .view = std::nullopt};
  if (!params.outpost.given) return query;
  if (params.after_seq || params.max_bytes) {
    return fail(ErrorKind::invalid_params, "outpost.head excludes afterSeq and maxBytes");
  }
  const auto bytes = [](const auto& member) { return member ? static_cast<std::size_t>(member->value) : 0; };
  query.view = {.head = bytes(params.outpost.members.head), .tail = bytes(params.outpost.members.tail)};
  if (query.view->head + query.view->tail == 0) {
    return fail(ErrorKind::invalid_params, "outpost.head or outpost.tail must be greater than 0");
  }
  return query;
}

}  // namespace

Error unknown_process(const std::string& id) {
  return {ErrorKind::unknown_process, "unknown process id " + id};
}

void answer(rpc::Reply& reply, wire::WriteStatus status) {
  static const std::array<std::string, write_statuses> texts = [] {
    std::array<std::string, write_statuses> encoded;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      wire::encode(encoded[i], wire::WriteResult{static_cast<wire::WriteStatus>(i)});
    }
    return encoded;
  }();
  reply.ok_json(texts[static_cast<std::size_t>(status)]);
}

void start_process(Connection& connection, wire::StartParams params, rpc::Reply reply) {
  const telemetry::TraceContext* span = reply.span() != nullptr ? &reply.span()->context() : nullptr;
  connection.session().start(std::move(params), span,
                             [reply = std::move(reply)](Result<wire::StartResult> started) mutable {
                               if (!started) return reply.error(started.error());
                               reply.ok(*started);
                             });
}

void read_process(Connection& connection, wire::ReadParams params, rpc::Reply reply) {
  Result<ReadQuery> query = query_of(params);
  if (!query) return reply.error(query.error());
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr) return reply.error(unknown_process(params.process_id));
  if (process->starting()) {
    return reply.error({ErrorKind::process_starting, "process id " + params.process_id + " is starting"});
  }
  process->read(*query, std::move(reply));
}

void write_process(Connection& connection, wire::WriteParams params, rpc::Reply reply) {
  if (params.write_id.empty()) return reply.error({ErrorKind::invalid_params, "writeId must not be empty"});
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr) return answer(reply, wire::WriteStatus::unknown_process);
  if (process->starting()) return answer(reply, wire::WriteStatus::starting);
  process->process()->write({.bytes = std::move(params.chunk.bytes), .write_id = std::move(params.write_id)},
                            [reply = std::move(reply)](Result<wire::WriteStatus> status) mutable {
                              if (!status) return reply.error(status.error());
                              answer(reply, *status);
                            });
}

void signal_process(Connection& connection, wire::SignalParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process != nullptr && !process->starting()) {
    process->process()->signal(wire::AnySignal::int_, wire::SignalTarget::group);
  }
  reply.ok_json("{}");
}

void terminate_process(Connection& connection, wire::TerminateParams params, rpc::Reply reply) {
  const auto& grace = params.outpost.members.grace_ms;
  const std::chrono::milliseconds wait(grace ? grace->value : 0);
  connection.session().terminate(std::move(params.process_id), wait, [reply = std::move(reply)](bool running) mutable {
    reply.ok_json(running ? R"({"running":true})" : R"({"running":false})");
  });
}

}  // namespace outpost::server
