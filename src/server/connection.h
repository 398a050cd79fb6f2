#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rpc/peer.h"
#include "server/delivery.h"
#include "server/file_requests.h"
#include "server/link_watch.h"
#include "server/request_queue.h"
#include "server/session.h"
#include "wire/protocol/session.h"

namespace outpost::server {

class LoopServer;
struct Route;
enum class Family;

/// One connection of a client: its handshake, the order of its requests, and the session that it is attached to.
/// Belongs to its loop; owned by a `LoopServer`.
class Connection final : public rpc::PeerHandler, public SessionHolder {
 public:
  Connection(LoopServer& server, std::shared_ptr<rpc::Peer> peer, std::string subject);
  ~Connection() override;

  void start();
  void close(std::string reason) { peer_->close(std::move(reason)); }

  LoopServer& server() { return server_; }
  const std::string& subject() const { return subject_; }
  /// The session; only behind the handshake.
  Session& session() { return *session_; }
  FileRequests& files() { return files_; }
  /// See `rpc::Peer::cancel`.
  bool cancel(const wire::RequestId& id, const rpc::Reply& asking) { return peer_->cancel(id, asking); }
  AttachmentId attachment() const { return attachment_; }
  Delivery& delivery() { return delivery_; }

  /// Why a request of this family can't be handled yet, if so (processes-and-sessions 2).
  std::optional<Error> handshake_error(Family family) const;
  /// What a connection brings along that came from another loop.
  void adopt(MovedConnection& moved) { delivery_.adopt_pings(std::move(moved.pings)); }
  /// The one answer to `initialize` was given: requests are for this session from now on.
  void enter(std::shared_ptr<Session> session);
  /// Leaves its session for another one, to which nobody is attached.
  void change_session(std::shared_ptr<Session> session);
  using ClaimDone = std::move_only_function<void(Result<std::shared_ptr<Session>>)>;
  /// Gives the session to `done` if nobody is attached to it, at once or when who is turns out to be dead; else an
  /// error. Nothing is read of this connection meanwhile, and when it ends, `done` is dropped.
  void claim(std::shared_ptr<Session> session, ClaimDone done);
  /// The session that is asked for belongs to another loop: this connection goes there, with its `initialize`.
  void move_to(std::size_t loop_index, wire::InitializeParams params, rpc::Reply reply);
  /// See `rpc::Peer::contain`.
  template <class Work>
  void contain(Work&& work) {
    peer_->contain(std::forward<Work>(work));
  }

 private:
  void on_request(rpc::Request request) override;
  Result<> on_notification(std::string_view method, wire::JsonView params) override;
  void on_writable() override;
  void on_received() override { link_.on_received(); }
  void on_pong(std::string_view payload) override { delivery_.on_pong(payload); }
  void on_closed(const std::string& reason) override;
  void probe(LinkWatch::ProbeDone done) override;
  void expel(std::uint16_t close_code, const std::string& reason) override;

  /// `counts`: it began in the queue and is to be finished there.
  /// The session, if it can be entered now.
  Result<std::shared_ptr<Session>> free(std::shared_ptr<Session> session);
  void dispatch(const Route* route, rpc::Request& request, bool counts);
  void run_later();
  void run_waiting();

  LoopServer& server_;
  std::shared_ptr<rpc::Peer> peer_;
  std::string subject_;
  Delivery delivery_;
  LinkWatch link_;
  RequestQueue queue_;
  FileRequests files_;
  std::shared_ptr<Session> session_;
  AttachmentId attachment_ = 0;
  bool ready_ = false;  // `initialized` came
  bool run_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace outpost::server
