#include "server/connection.h"

#include <utility>

#include "server/loop_server.h"
#include "server/routes.h"
#include "wire/codec.h"

namespace outpost::server {

Connection::Connection(LoopServer& server, std::shared_ptr<rpc::Peer> peer, std::string subject)
    : server_(server),
      peer_(std::move(peer)),
      subject_(std::move(subject)),
      delivery_(server.loop(), *peer_,
                [this](std::uint64_t offset) {
                  if (session_ && session_->holder() == this) session_->prove(offset);
                }),
      link_(server.loop(), *peer_, delivery_,
            {.ping_interval = server.options().ping_interval,
             .probe_wait = server.options().resume_probe,
             .log = server.log()}),
      queue_(server.options().concurrent_requests),
      files_(server.files(), *peer_) {}

Connection::~Connection() {
  *alive_ = false;
}

void Connection::start() {
  peer_->start(*this);
  link_.start([this](std::string reason) { peer_->close(std::move(reason)); });
}

std::optional<Error> Connection::handshake_error(Family family) const {
  if (family == Family::handshake) {
    if (!session_) return std::nullopt;
    return Error{ErrorKind::wrong_state, "initialize may only be sent once per connection"};
  }
  if (ready_) return std::nullopt;
  return Error{ErrorKind::wrong_state, std::string("client must ") +
                                           (session_ ? "send initialized" : "call initialize") + " before using " +
                                           std::string(family_name(family)) + " methods"};
}

void Connection::enter(std::shared_ptr<Session> session) {
  session_ = std::move(session);
  attachment_ = session_->attach(*peer_, &delivery_, this);
}

void Connection::change_session(std::shared_ptr<Session> session) {
  session_->detach(attachment_);
  enter(std::move(session));
}

Result<std::shared_ptr<Session>> Connection::free(std::shared_ptr<Session> session) {
  // It may have ended while its holder was asked.
  if (session->ended()) return fail(ErrorKind::unknown_session, "unknown session id " + session->id());
  if (!session->attached()) return session;
  return fail(ErrorKind::session_attached, "session " + session->id() + " is already attached to another connection");
}

void Connection::claim(std::shared_ptr<Session> session, ClaimDone done) {
  const bool asks = session->holder() != nullptr && server_.options().resume_probe.count() > 0;
  if (!asks) return done(free(std::move(session)));
  peer_->set_reading(false);
  SessionHolder& holder = *session->holder();
  holder.probe([this, alive = alive_, session = std::move(session), done = std::move(done)](bool) mutable {
    if (!*alive) return;
    peer_->contain([&] { done(free(std::move(session))); });
    peer_->set_reading(true);
  });
}

void Connection::probe(LinkWatch::ProbeDone done) {
  link_.probe([this, done = std::move(done)](bool alive) mutable {
    if (!alive) {
      *alive_ = false;  // as above
      session_->detach(attachment_);
      peer_->close("the peer is dead, and its session is asked for");
    }
    done(alive);
  });
}

void Connection::expel(std::uint16_t close_code, const std::string& reason) {
  *alive_ = false;  // what still waits for its turn is not begun
  session_->detach(attachment_);
  peer_->close_with(close_code, reason);
}

void Connection::move_to(std::size_t loop_index, wire::InitializeParams params, rpc::Reply reply) {
  // Nothing is taken from the channel until the other loop has it. The message at hand is still on the stack.
  peer_->set_reading(false);
  server_.loop().post(
      [this, alive = alive_, loop_index, params = std::move(params), reply = std::move(reply)]() mutable {
        if (!*alive) return;
        std::unique_ptr<channel::Dissolved> channel = peer_->dissolve();
        if (!channel) {  // it closed in the meantime, and is told so
          if (const auto record = reply.abandon()) record->finish("disconnected");
          return;
        }
        MovedConnection moved{.channel = std::move(channel),
                              .subject = subject_,
                              .pings = delivery_.pings(),
                              .params = std::move(params),
                              .id = reply.id(),
                              .record = reply.abandon()};
        link_.end();
        *alive_ = false;
        server_.hand_over(loop_index, *this, std::move(moved));
      });
}

void Connection::on_request(rpc::Request request) {
  const Route* route = find_route(request.method);
  rpc::RequestRecord* record = request.reply.record();
  if (record != nullptr && route != nullptr) record->name(route->method);
  // Unknown methods have no route, and are answered in their turn where turns are strict.
  const bool at_once = route != nullptr && route->waiting == Waiting::never;
  const bool counts =
      !at_once && (queue_.strict() || (queue_.limited() && route != nullptr && route->waiting == Waiting::counts));
  if (!counts) return dispatch(route, request, false);
  if (!queue_.try_begin()) {
    const std::uint64_t number = queue_.next_number();
    request.reply.when_cancelled([this, number] {
      if (auto reply = queue_.remove(number)) reply->error({ErrorKind::cancelled, "request cancelled"});
    });
    queue_.wait(std::string(request.text), std::move(request.reply));
    return;
  }
  dispatch(route, request, true);
}

void Connection::dispatch(const Route* route, rpc::Request& request, bool counts) {
  if (counts) {
    request.reply.when_done([this, alive = alive_] {
      if (!*alive) return;
      queue_.finished();
      run_later();
    });
  }
  if (rpc::RequestRecord* record = request.reply.record()) record->begin();
  if (route != nullptr && route->waiting != Waiting::counts) request.reply.exempt();
  if (route != nullptr) return route->handle(*this, request);
  request.reply.error(
      {ErrorKind::unknown_method, "exec-server stub does not implement `" + std::string(request.method) + "` yet"});
}

void Connection::run_later() {
  // Not from within the answer of another request, whose params are views into the parser.
  if (queue_.waiting() == 0 || std::exchange(run_posted_, true)) return;
  server_.loop().post([this, alive = alive_] {
    if (*alive) peer_->contain([this] { run_waiting(); });
  });
}

void Connection::run_waiting() {
  run_posted_ = false;
  // As no request is read, none is begun for whose answer there is no room; `on_writable` goes on.
  while (peer_->takes_answers()) {
    auto waiting = queue_.next();
    if (!waiting) return;
    peer_->with_parsed(waiting->text, [&](const wire::Message& message) {
      rpc::Request request{.text = waiting->text,
                           .method = message.method,
                           .params = message.params,
                           .reply = std::move(waiting->reply)};
      dispatch(find_route(request.method), request, true);
    });
  }
}

Result<> Connection::on_notification(std::string_view method, wire::JsonView params) {
  if (method == "initialized" && session_) {
    ready_ = true;
    return {};
  }
  if (method == "outpost/session/receipt" && delivery_.mode() == ReceiptMode::mark) {
    const auto receipt = OUTPOST_TRY(wire::decode<wire::ReceiptMark>(params));
    return delivery_.on_receipt(static_cast<std::uint64_t>(receipt.mark.value));
  }
  return fail(ErrorKind::malformed_message, "unexpected notification " + std::string(method));
}

void Connection::on_writable() {
  if (session_) session_->on_writable();
  files_.on_room();
  run_later();
}

void Connection::on_closed(const std::string& reason) {
  telemetry::log_event(server_.log(), telemetry::LogLevel::info, "connection closed",
                       {{"peer", peer_->address()}, {"reason", reason}});
  *alive_ = false;  // what still waits for its turn is not begun
  files_.end();
  if (session_) session_->detach(attachment_);
  link_.end();
  server_.drop(*this, peer_->transport());
}

}  // namespace outpost::server
