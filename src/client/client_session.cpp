#include "client/client_session.h"

#include <utility>

#include "wire/codec.h"

namespace outpost::client {

using Kind = ProcessEvent::Kind;

/// The connection of a session, and what of it must outlive the session: a callback that destroys the session is called
/// from deep inside the peer and its channel. Owned by its session; destroyed under it, it owns itself until the
/// channel has told its end.
class ClientSession::Link final : public rpc::PeerHandler, public std::enable_shared_from_this<Link> {
 public:
  Link(ClientSession& the_owner, std::unique_ptr<channel::Channel> channel)
      : owner(&the_owner), peer(std::make_shared<rpc::Peer>(std::move(channel), parser_, rpc::Peer::Settings{})) {}

  /// The session is destroyed.
  void leave() {
    owner = nullptr;
    if (depth_ == 0 || ended_) return;
    self_ = shared_from_this();
    peer->close("the client has ended its session");
  }

  /// The scope of something that comes from the connection.
  class Inside {
   public:
    explicit Inside(Link& link) : link_(link.shared_from_this()) { ++link_->depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { --link_->depth_; }

   private:
    std::shared_ptr<Link> link_;
  };

  ClientSession* owner;  // null once the session is destroyed

 private:
  void on_request(rpc::Request request) override {
    request.reply.error(
        {ErrorKind::unknown_method, "this client does not implement `" + std::string(request.method) + "`"});
  }
  Result<> on_notification(std::string_view method, wire::JsonView params) override {
    const Inside inside(*this);
    if (owner == nullptr) return {};
    return owner->take_notification(method, params);
  }
  void on_writable() override {}
  void on_closed(const std::string& reason) override {
    const Inside inside(*this);
    ended_ = true;
    self_.reset();
    if (owner != nullptr) owner->take_end(reason);
  }

  wire::MessageParser parser_;
  std::size_t depth_ = 0;
  bool ended_ = false;
  std::shared_ptr<Link> self_;

 public:
  std::shared_ptr<rpc::Peer> peer;  // behind the parser, which it uses
};

ClientSession::ClientSession(std::unique_ptr<channel::Channel> channel)
    : link_(std::make_shared<Link>(*this, std::move(channel))) {}

ClientSession::~ClientSession() {
  for (auto& [id, followed] : followed_) followed->over = true;
  link_->leave();
}

template <class Result_, class Params>
void ClientSession::call(std::string_view method, const Params& params, Done<Result_> done) {
  // The link owns the peer, which owns this: so it is alive when this is called, and a reference the other way would
  // keep both.
  link_->peer->call(method, params,
                    [link = link_.get(), done = std::move(done)](Result<wire::JsonView> answer) mutable {
                      const Link::Inside inside(*link);
                      if (link->owner == nullptr) return;
                      if (!answer) return done(fail(std::move(answer).error()));
                      done(wire::decode<Result_>(*answer));
                    });
}

void ClientSession::open(std::string client_name, Opened opened) {
  link_->peer->start(*link_);
  wire::InitializeParams params;
  params.client_name = std::move(client_name);
  call<wire::InitializeResult>("initialize", params,
                               [this, opened = std::move(opened)](Result<wire::InitializeResult> result) mutable {
                                 if (result) link_->peer->notify("initialized", wire::EmptyObject{});
                                 opened(std::move(result));
                               });
}

void ClientSession::start(const wire::StartParams& params, ProcessEvents events, Done<wire::StartResult> done) {
  // Events may come before the answer, so they are followed from the request on.
  const auto followed = std::make_shared<Followed>();
  followed->events = std::move(events);
  if (!followed_.try_emplace(params.process_id, followed).second) {
    return done(fail(ErrorKind::process_exists, "process " + params.process_id + " is followed already"));
  }
  // Weakly: the same id may be followed anew when the answer comes.
  call<wire::StartResult>("process/start", params,
                          [this, id = params.process_id, started = std::weak_ptr(followed),
                           done = std::move(done)](Result<wire::StartResult> result) mutable {
                            const auto found = followed_.find(id);
                            if (!result && found != followed_.end() && found->second == started.lock()) {
                              found->second->over = true;
                              followed_.erase(found);
                            }
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

void ClientSession::get_metadata(const wire::PathUri& path, Done<wire::GetMetadataResult> done) {
  wire::GetMetadataParams params;
  params.path = path;
  call<wire::GetMetadataResult>("fs/getMetadata", params, std::move(done));
}

void ClientSession::set_reading(bool reading) {
  link_->peer->set_reading(reading);
}

Result<> ClientSession::take_notification(std::string_view method, wire::JsonView params) {
  if (method == "process/output") {
    auto event = OUTPOST_TRY(wire::decode<wire::OutputEvent>(params));
    take_event(event.process_id, {Kind::output, event.seq, event.stream, std::move(event.chunk.bytes), 0});
  }
  if (method == "process/exited") {
    auto event = OUTPOST_TRY(wire::decode<wire::ExitedEvent>(params));
    take_event(event.process_id, {Kind::exited, event.seq, {}, {}, event.exit_code});
  }
  if (method == "process/closed") {
    auto event = OUTPOST_TRY(wire::decode<wire::ClosedEvent>(params));
    take_event(event.process_id, {Kind::closed, event.seq, {}, {}, 0});
  }
  return {};  // a newer server may tell more than we know
}

void ClientSession::take_event(const std::string& process_id, ProcessEvent event) {
  const auto found = followed_.find(process_id);
  if (found == followed_.end()) return;
  const FollowedPtr followed = found->second;
  if (const Result<> added = followed->order.add(std::move(event)); !added) {
    return stop_following(process_id, added.error());
  }
  while (auto next = followed->order.next()) {
    if (next->kind == Kind::closed) {
      // Forgotten first: the one who is told may use the id again.
      followed->over = true;
      followed_.erase(process_id);
    }
    followed->events.on_event(std::move(*next));
    // Either it was the last one, or the one who was told has destroyed this session: then no member may be touched.
    if (followed->over) return;
  }
}

void ClientSession::stop_following(const std::string& process_id, const Error& error) {
  const auto found = followed_.find(process_id);
  if (found == followed_.end()) return;
  const FollowedPtr ended = std::move(found->second);
  followed_.erase(found);
  ended->over = true;
  ended->events.on_failure(error);
}

void ClientSession::take_end(const std::string& reason) {
  const Error lost{ErrorKind::connection_lost, "the connection to the server is lost: " + reason};
  const std::shared_ptr<Link> link = link_;  // who is told may destroy this session
  while (link->owner != nullptr && !followed_.empty()) stop_following(std::string(followed_.begin()->first), lost);
}

}  // namespace outpost::client
