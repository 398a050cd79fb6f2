#include "server/connection.h"
#include "server/handlers.h"

namespace outpost::server {

namespace {

Error no_terminal(const std::string& id) {
  return {ErrorKind::invalid_input, "process " + id + " has no terminal"};
}

}  // namespace

void close_stdin(Connection& connection, wire::CloseStdinParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr) return answer(reply, wire::WriteStatus::unknown_process);
  if (process->starting()) return answer(reply, wire::WriteStatus::starting);
  if (process->process()->has_terminal()) {
    return reply.error(
        {ErrorKind::invalid_input, "process " + params.process_id + " has a terminal; write U+0004 to end its input"});
  }
  answer(reply, process->process()->close_stdin());
}

void resize_terminal(Connection& connection, wire::ResizeParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  if (process == nullptr || process->starting()) return reply.error(unknown_process(params.process_id));
  if (!process->process()->has_terminal()) return reply.error(no_terminal(params.process_id));
  process->process()->resize({.rows = params.rows, .cols = params.cols});
  reply.ok(wire::EmptyObject{});
}

void send_signal(Connection& connection, wire::AnySignalParams params, rpc::Reply reply) {
  SessionProcess* process = connection.session().find(params.process_id);
  const wire::SignalTarget target = params.target.value_or(wire::SignalTarget::group);
  if (process == nullptr || process->starting()) return reply.ok(wire::AnySignalResult{false});
  if (target == wire::SignalTarget::foreground && !process->process()->has_terminal()) {
    return reply.error(no_terminal(params.process_id));
  }
  reply.ok(wire::AnySignalResult{process->process()->signal(params.signal, target)});
}

void list_processes(Connection& connection, wire::ListParams, rpc::Reply reply) {
  reply.ok(wire::ListResult{connection.session().list()});
}

}  // namespace outpost::server
