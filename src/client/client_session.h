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
#include "wire/protocol/files.h"
#include "wire/protocol/session.h"

namespace outpost::client {

/// Told of one far process, on the loop, in the order of its sequence.
struct ProcessEvents {
  std::function<void(ProcessEvent&&)> on_event;
  /// The process can't be followed any more: the connection is lost, or the server broke the rules. Told once and last.
  std::function<void(const Error&)> on_failure;
};

/// A session with a server over one connection: the handshake, and the processes. It ends with its connection. Belongs
/// to a loop.
///
/// Any callback may use the session, start a process with an id that was just told to be closed, and even destroy the
/// session: nothing is called after that, and what the connection still needs to end lives until it has ended.
class ClientSession final {
 public:
  using Opened = std::move_only_function<void(Result<wire::InitializeResult>)>;
  template <class T>
  using Done = std::move_only_function<void(Result<T>)>;

  explicit ClientSession(std::unique_ptr<channel::Channel> channel);
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;
  ~ClientSession();

  /// Does the handshake. `opened` is called once.
  void open(std::string client_name, Opened opened);
  /// Starts a process and follows it; `events` may be called before `done`. An id that is still followed is
  /// `ErrorKind::process_exists`, at once; nothing is sent then, and the process that has it is followed on.
  void start(const wire::StartParams& params, ProcessEvents events, Done<wire::StartResult> done);
  void write(const std::string& process_id, ByteView bytes, Done<wire::WriteResult> done);
  /// Closes the stdin of a process behind what was written (extensions 7); only where the server announces it.
  void close_stdin(const std::string& process_id, Done<wire::WriteResult> done);
  void interrupt(const std::string& process_id);
  void terminate(const std::string& process_id, std::move_only_function<void()> done);
  void get_metadata(const wire::PathUri& path, Done<wire::GetMetadataResult> done);
  /// While false, nothing is read from the connection but the message at hand: so the far machine has to wait.
  void set_reading(bool reading);

 private:
  class Link;
  struct Followed {
    EventOrder order;
    ProcessEvents events;
    bool over = false;  // nothing more may be told
  };
  using FollowedPtr = std::shared_ptr<Followed>;  // shared with a callback of its own that is under way

  Result<> take_notification(std::string_view method, wire::JsonView params);
  void take_event(const std::string& process_id, ProcessEvent event);
  void stop_following(const std::string& process_id, const Error& error);
  void take_end(const std::string& reason);
  template <class Result_, class Params>
  void call(std::string_view method, const Params& params, Done<Result_> done);

  std::shared_ptr<Link> link_;  // shared with a callback under way, and with itself until the connection has ended
  std::uint64_t next_write_ = 1;
  std::unordered_map<std::string, FollowedPtr> followed_;
};

}  // namespace outpost::client
