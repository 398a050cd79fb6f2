#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rpc/peer.h"
#include "server/file_requests.h"
#include "server/request_queue.h"
#include "server/session.h"
#include "wire/protocol/session.h"

namespace outpost::server {

class LoopServer;
struct Route;
enum class Family;

/// One connection of a client: its handshake, the order of its requests, and the session that it is attached to.
/// Belongs to its loop; owned by a `LoopServer`.
class Connection final : public rpc::PeerHandler {
 public:
  Connection(LoopServer& server, std::shared_ptr<rpc::Peer> peer, std::string subject);
  ~Connection() override;

  void start() { peer_->start(*this); }
  void close(std::string reason) { peer_->close(std::move(reason)); }

  LoopServer& server() { return server_; }
  const std::string& subject() const { return subject_; }
  /// The session; only behind the handshake.
  Session& session() { return *session_; }
  FileRequests& files() { return files_; }
  /// See `rpc::Peer::cancel`.
  bool cancel(const wire::RequestId& id, const rpc::Reply& asking) { return peer_->cancel(id, asking); }
  AttachmentId attachment() const { return attachment_; }

  /// Why a request of this family can't be handled yet, if so (processes-and-sessions 2).
  std::optional<Error> handshake_error(Family family) const;
  /// The one answer to `initialize` was given: requests are for this session from now on.
  void enter(std::shared_ptr<Session> session);
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
  void on_closed(const std::string& reason) override;

  /// `counts`: it began in the queue and is to be finished there.
  void dispatch(const Route* route, rpc::Request& request, bool counts);
  void run_later();
  void run_waiting();

  LoopServer& server_;
  std::shared_ptr<rpc::Peer> peer_;
  std::string subject_;
  RequestQueue queue_;
  FileRequests files_;
  std::shared_ptr<Session> session_;
  AttachmentId attachment_ = 0;
  bool ready_ = false;  // `initialized` came
  bool run_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace outpost::server
