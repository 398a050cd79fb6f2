#include "client/client_session.h"

#include <utility>

#include "wire/codec.h"

namespace outpost::client {

using Kind = ProcessEvent::Kind;

ClientSession::ClientSession(std::unique_ptr<channel::Channel> channel)
    : peer_(std::make_shared<rpc::Peer>(std::move(channel), parser_, rpc::Peer::Settings{})) {}

ClientSession::~ClientSession() = default;

template <class Result_, class Params>
void ClientSession::call(std::string_view method, const Params& params, Done<Result_> done) {
  peer_->call(method, params, [done = std::move(done)](Result<wire::JsonView> answer) mutable {
    if (!answer) return done(fail(std::move(answer).error()));
    done(wire::decode<Result_>(*answer));
  });
}

void ClientSession::open(std::string client_name, Opened opened) {
  peer_->start(*this);
  wire::InitializeParams params;
  params.client_name = std::move(client_name);
  call<wire::InitializeResult>("initialize", params,
                               [this, opened = std::move(opened)](Result<wire::InitializeResult> result) mutable {
                                 if (result) peer_->notify("initialized", wire::EmptyObject{});
                                 opened(std::move(result));
                               });
}

void ClientSession::start(const wire::StartParams& params, ProcessEvents events, Done<wire::StartResult> done) {
  // Events may come before the answer, so they are followed from the request on.
  auto followed = std::make_unique<Followed>();
  followed->events = std::move(events);
  followed_.insert_or_assign(params.process_id, std::move(followed));
  call<wire::StartResult>(
      "process/start", params,
      [this, id = params.process_id, done = std::move(done)](Result<wire::StartResult> result) mutable {
        if (!result) followed_.erase(id);
        done(std::move(result));
      });
}

void ClientSession::write(const std::string& process_id, ByteView bytes, Done<wire::WriteResult> done) {
  wire::WriteParams params;
  params.process_id = process_id;
  params.chunk.bytes = Bytes::copy_of(bytes);
  params.write_id = std::to_string(next_write_++);
  call<wire::WriteResult>("process/write", params, std::move(done));
}

void ClientSession::close_stdin(const std::string& process_id, Done<wire::WriteResult> done) {
  wire::CloseStdinParams params;
  params.process_id = process_id;
  call<wire::WriteResult>("outpost/process/closeStdin", params, std::move(done));
}

void ClientSession::interrupt(const std::string& process_id) {
  wire::SignalParams params;
  params.process_id = process_id;
  call<wire::EmptyObject>("process/signal", params, [](Result<wire::EmptyObject>) {});
}

void ClientSession::terminate(const std::string& process_id, std::move_only_function<void()> done) {
  wire::TerminateParams params;
  params.process_id = process_id;
  call<wire::TerminateResult>("process/terminate", params,
                              [done = std::move(done)](Result<wire::TerminateResult>) mutable { done(); });
}

void ClientSession::on_request(rpc::Request request) {
  request.reply.error(
      {ErrorKind::unknown_method, "this client does not implement `" + std::string(request.method) + "`"});
}

Result<> ClientSession::on_notification(std::string_view method, wire::JsonView params) {
  if (method == "process/output") {
    auto event = OUTPOST_TRY(wire::decode<wire::OutputEvent>(params));
    return take_event(event.process_id, {Kind::output, event.seq, event.stream, std::move(event.chunk.bytes), 0});
  }
  if (method == "process/exited") {
    auto event = OUTPOST_TRY(wire::decode<wire::ExitedEvent>(params));
    return take_event(event.process_id, {Kind::exited, event.seq, {}, {}, event.exit_code});
  }
  if (method == "process/closed") {
    auto event = OUTPOST_TRY(wire::decode<wire::ClosedEvent>(params));
    return take_event(event.process_id, {Kind::closed, event.seq, {}, {}, 0});
  }
  return {};  // a newer server may tell more than we know
}

Result<> ClientSession::take_event(const std::string& process_id, ProcessEvent event) {
  const auto found = followed_.find(process_id);
  if (found == followed_.end()) return {};
  Followed& followed = *found->second;
  if (const Result<> added = followed.order.add(std::move(event)); !added) {
    stop_following(process_id, added.error());
    return {};
  }
  while (const auto next = followed.order.next()) {
    if (next->kind == Kind::closed) {
      // Forgotten first: the one who is told may use the id again.
      const auto ended = followed_.extract(process_id);
      ended.mapped()->events.on_event(*next);
      return {};
    }
    followed.events.on_event(*next);
  }
  return {};
}

void ClientSession::stop_following(const std::string& process_id, const Error& error) {
  const auto found = followed_.find(process_id);
  if (found == followed_.end()) return;
  const std::unique_ptr<Followed> ended = std::move(found->second);
  followed_.erase(found);
  ended->events.on_failure(error);
}

void ClientSession::on_closed(const std::string& reason) {
  const Error lost{ErrorKind::connection_lost, "the connection to the server is lost: " + reason};
  while (!followed_.empty()) stop_following(std::string(followed_.begin()->first), lost);
}

}  // namespace outpost::client
