#pragma once

#include "rpc/reply.h"
#include "wire/codec.h"
#include "wire/protocol/cancel.h"
#include "wire/protocol/environment.h"
#include "wire/protocol/environment_config.h"
#include "wire/protocol/files.h"
#include "wire/protocol/http.h"
#include "wire/protocol/process.h"
#include "wire/protocol/session.h"

/// What the methods do, a function each; `routes.cpp` says which is which. The params are decoded and the handshake is
/// done (but for `initialize`).
namespace outpost::server {

class Connection;

// session_handlers.cpp
void initialize(Connection& connection, wire::InitializeParams params, rpc::Reply reply);
void environment_info(Connection& connection, wire::NoParams params, rpc::Reply reply);
void environment_status(Connection& connection, wire::NoParams params, rpc::Reply reply);

// session_administration.cpp
void list_sessions(Connection& connection, wire::ListSessionsParams params, rpc::Reply reply);
void attach_session(Connection& connection, wire::AttachSessionParams params, rpc::Reply reply);
void end_session(Connection& connection, wire::EndSessionParams params, rpc::Reply reply);

// process_handlers.cpp
Error unknown_process(const std::string& id);
/// Writes have one of few answers: they are encoded once, and sent by the path without a copy.
void answer(rpc::Reply& reply, wire::WriteStatus status);
void start_process(Connection& connection, wire::StartParams params, rpc::Reply reply);
void read_process(Connection& connection, wire::ReadParams params, rpc::Reply reply);
void write_process(Connection& connection, wire::WriteParams params, rpc::Reply reply);
void signal_process(Connection& connection, wire::SignalParams params, rpc::Reply reply);
void terminate_process(Connection& connection, wire::TerminateParams params, rpc::Reply reply);

// process_extension_handlers.cpp
void close_stdin(Connection& connection, wire::CloseStdinParams params, rpc::Reply reply);
void resize_terminal(Connection& connection, wire::ResizeParams params, rpc::Reply reply);
void send_signal(Connection& connection, wire::AnySignalParams params, rpc::Reply reply);
void list_processes(Connection& connection, wire::ListParams params, rpc::Reply reply);

// environment_config_handlers.cpp
void read_environment_config(Connection& connection, wire::EnvironmentConfigParams params, rpc::Reply reply);

// file_handlers.cpp
void cancel_request(Connection& connection, wire::CancelParams params, rpc::Reply reply);
void http_unavailable(Connection& connection, wire::HttpRequestParams params, rpc::Reply reply);

}  // namespace outpost::server
