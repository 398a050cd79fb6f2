#include <limits>
#include <utility>

#include "server/connection.h"
#include "server/handlers.h"
#include "server/loop_server.h"

namespace outpost::server {

namespace {

Error unknown_process(const std::string& id) {
  return {ErrorKind::unknown_process, "unknown process id " + id};
}

std::chrono::milliseconds wait_of(const wire::ReadParams& params) {
  constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(params.wait_ms.value_or(0), longest)));
}

}  // namespace

void start_process(Connection& connection, wire::StartParams params, rpc::Reply reply) {
  connection.session().start(std::move(params), [reply = std::move(reply)](Result<wire::StartResult> started) mutable {
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
  if (process == nullptr) return reply.ok(wire::WriteResult{wire::WriteStatus::unknown_process});
  if (process->starting()) return reply.ok(wire::WriteResult{wire::WriteStatus::starting});
  process->process()->write({.bytes = std::move(params.chunk.bytes), .write_id = std::move(params.write_id)},
                            [reply = std::move(reply)](Result<wire::WriteStatus> status) mutable {
                              if (!status) return reply.error(status.error());
                              reply.ok(wire::WriteResult{*status});
                            });
}

void close_stdin(Connection& connection, wire::CloseStdinParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr) return reply.ok(wire::WriteResult{wire::WriteStatus::unknown_process});
  if (process->starting()) return reply.ok(wire::WriteResult{wire::WriteStatus::starting});
  reply.ok(wire::WriteResult{process->process()->close_stdin()});
}

void signal_process(Connection& connection, wire::SignalParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process != nullptr && !process->starting()) process->process()->interrupt();
  reply.ok(wire::EmptyObject{});
}

void terminate_process(Connection& connection, wire::TerminateParams params, rpc::Reply reply) {
  connection.session().terminate(std::move(params.process_id), [reply = std::move(reply)](bool running) mutable {
    reply.ok(wire::TerminateResult{running});
  });
}

}  // namespace outpost::server
