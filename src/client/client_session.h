#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/loop.h"
#include "channel/channel.h"
#include "client/event_order.h"
#include "rpc/peer.h"
#include "wire/envelope.h"
#include "wire/protocol/session.h"

namespace outpost::client {

/// Told of one far process, on the loop, in the order of its sequence.
struct ProcessEvents {
  std::function<void(const ProcessEvent&)> on_event;
  /// The process can't be followed any more: the connection is lost, or the server broke the rules. Told once and last.
  std::function<void(const Error&)> on_failure;
};

/// A session with a server over one connection: the handshake, and the processes. It ends with its connection. Belongs
/// to a loop.
class ClientSession final : public rpc::PeerHandler {
 public:
  using Opened = std::move_only_function<void(Result<wire::InitializeResult>)>;
  template <class T>
  using Done = std::move_only_function<void(Result<T>)>;

  explicit ClientSession(std::unique_ptr<channel::Channel> channel);
  ~ClientSession() override;

  /// Does the handshake. `opened` is called once.
  void open(std::string client_name, Opened opened);
  /// Starts a process and follows it; `events` may be called before `done`.
  void start(const wire::StartParams& params, ProcessEvents events, Done<wire::StartResult> done);
  void write(const std::string& process_id, ByteView bytes, Done<wire::WriteResult> done);
  /// Closes the stdin of a process behind what was written (extensions 7); only where the server announces it.
  void close_stdin(const std::string& process_id, Done<wire::WriteResult> done);
  void interrupt(const std::string& process_id);
  void terminate(const std::string& process_id, std::move_only_function<void()> done);

 private:
  void on_request(rpc::Request request) override;
  Result<> on_notification(std::string_view method, wire::JsonView params) override;
  void on_writable() override {}
  void on_closed(const std::string& reason) override;

  struct Followed {
    EventOrder order;
    ProcessEvents events;
  };
  Result<> take_event(const std::string& process_id, ProcessEvent event);
  void stop_following(const std::string& process_id, const Error& error);
  template <class Result_, class Params>
  void call(std::string_view method, const Params& params, Done<Result_> done);

  wire::MessageParser parser_;
  std::shared_ptr<rpc::Peer> peer_;
  std::uint64_t next_write_ = 1;
  std::unordered_map<std::string, std::unique_ptr<Followed>> followed_;
};

}  // namespace outpost::client
