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

Error unknown_process(const std::string& id) {
  return {ErrorKind::unknown_process, "unknown process id " + id};
}

std::chrono::milliseconds wait_of(const wire::ReadParams& params) {
  constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(params.wait_ms.value_or(0), longest)));
}

/// Writes have one of few answers: they are encoded once, and sent by the path without a copy.
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

}  // namespace

void start_process(Connection& connection, wire::StartParams params, rpc::Reply reply) {
  const telemetry::TraceContext* span = reply.span() != nullptr ? &reply.span()->context() : nullptr;
  connection.session().start(std::move(params), span,
                             [reply = std::move(reply)](Result<wire::StartResult> started) mutable {
                               if (!started) return reply.error(started.error());
                               reply.ok(*started);
                             });
}

void read_process(Connection& connection, wire::ReadParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr) return reply.error(unknown_process(params.process_id));
  if (process->starting()) {
    return reply.error({ErrorKind::process_starting, "process id " + params.process_id + " is starting"});
  }
  process->read({.after_seq = params.after_seq.value_or(0), .bytes_max = params.max_bytes, .wait = wait_of(params)},
                std::move(reply));
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

void close_stdin(Connection& connection, wire::CloseStdinParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr) return answer(reply, wire::WriteStatus::unknown_process);
  if (process->starting()) return answer(reply, wire::WriteStatus::starting);
  answer(reply, process->process()->close_stdin());
}

void signal_process(Connection& connection, wire::SignalParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process != nullptr && !process->starting()) process->process()->interrupt();
  reply.ok_json("{}");
}

void terminate_process(Connection& connection, wire::TerminateParams params, rpc::Reply reply) {
  connection.session().terminate(std::move(params.process_id), [reply = std::move(reply)](bool running) mutable {
    reply.ok_json(running ? R"({"running":true})" : R"({"running":false})");
  });
}

}  // namespace outpost::server
