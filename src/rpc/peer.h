#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/limits/connections.h"
#include "base/result.h"
#include "channel/channel.h"
#include "rpc/reply.h"
#include "telemetry/log.h"
#include "telemetry/recorder.h"
#include "wire/answers.h"
#include "wire/envelope.h"

namespace outpost::rpc {

/// One request of the other side.
struct Request {
  std::string_view text;  ///< the whole message
  std::string_view method;
  wire::JsonView params;
  Reply reply;
};

/// Who handles what comes over a peer; told on its loop.
class PeerHandler {
 public:
  virtual ~PeerHandler() = default;
  /// The views of `request` hold until the return.
  virtual void on_request(Request request) = 0;
  /// An error ends the connection (processes-and-sessions 1.4).
  virtual Result<> on_notification(std::string_view method, wire::JsonView params) = 0;
  /// See `channel::ChannelHandler`.
  virtual void on_writable() = 0;
  /// See `channel::ChannelHandler`.
  virtual void on_received() {}
  virtual void on_pong(std::string_view) {}
  /// Told once and last.
  virtual void on_closed(const std::string& reason) = 0;
};

/// One end of a connection that speaks the protocol's JSON-RPC dialect (processes-and-sessions 1). Belongs to the loop
/// of its channel. Shared between its owner and nobody else for longer than a call: replies hold it weakly.
class Peer final : public channel::ChannelHandler, public std::enable_shared_from_this<Peer> {
 public:
  /// `result` holds until the return.
  using CallDone = std::move_only_function<void(Result<wire::JsonView> result)>;

  struct Settings {
    std::size_t requests_in_flight_max = limits::requests_in_flight_max;  ///< of the other side, not answered yet
    std::size_t request_bytes_in_flight_max = limits::request_bytes_in_flight_max;  ///< not answered yet; from 2 on
    telemetry::Recorder* recorder = nullptr;                                        ///< null: nothing is recorded
    telemetry::Log* log = nullptr;                                                  ///< null: nothing is logged
  };

  /// `parser` may serve other peers of the same loop, too.
  Peer(std::unique_ptr<channel::Channel> channel, wire::MessageParser& parser, Settings settings);
  ~Peer() override;

  /// Begins to read. `handler` must live until its `on_closed`.
  void start(PeerHandler& handler);
  /// Ends the connection without a word; `on_closed` follows from the loop.
  void close(std::string reason) { channel_->close(std::move(reason)); }
  /// See `channel::Channel::dissolve`. This peer is over; its handler isn't told.
  std::unique_ptr<channel::Dissolved> dissolve();
  /// A request that came over this channel before it moved here, to be answered here.
  Reply adopt_request(wire::RequestId id, std::unique_ptr<RequestRecord> record);
  /// The other side gives up its requests of this id, but for `asking`, by which it says so: whether there are any that
  /// aren't answered yet (extensions 11).
  bool cancel(const wire::RequestId& id, const Reply& asking);
  /// See `channel::Channel`; both are told of by `on_writable`.
  bool writable() const { return channel_->writable(); }
  bool takes_answers() const { return channel_->takes_answers(); }
  /// See `channel::Channel`.
  void close_with(std::uint16_t code, std::string reason) { channel_->close_with(code, std::move(reason)); }
  std::uint64_t ping(std::string_view payload) { return channel_->ping(payload); }
  std::uint64_t received_bytes() const { return channel_->received_bytes(); }
  bool has_unread() const { return channel_->has_unread(); }
  std::uint64_t acknowledged_offset() const { return channel_->acknowledged_offset(); }
  bool all_taken() const { return channel_->all_taken(); }
  channel::TransportKind transport() const { return channel_->kind(); }
  const std::string& address() const { return channel_->peer(); }
  /// While false, nothing more is handled than the message at hand; one that comes all the same is kept, and handled
  /// from within the call that goes on.
  void set_reading(bool reading);

  /// Sends a request; `done` is called once, with the answer or with `ErrorKind::connection_lost`. At most
  /// `limits::requests_in_flight_max` wait for an answer; one more fails at once.
  template <class Params>
  void call(std::string_view method, const Params& params, CallDone done);
  /// Gives the offset in the channel's outgoing bytes at which it ends.
  template <class Params>
  std::uint64_t notify(std::string_view method, const Params& params);

  /// One whole outgoing message to be written in place.
  channel::Channel::Slot reserve(std::size_t bytes) { return channel_->append(bytes); }
  /// Sends a message that was built in `scratch` or elsewhere.
  /// Gives the offset in the channel's outgoing bytes at which it ends.
  std::uint64_t send(std::string_view text);
  /// A cleared string to build a message in; its memory is used again.
  std::string& scratch();

  /// Does work for this connection, and for no other: an exception out of it, as for lack of memory, ends the
  /// connection and is logged. Messages are handled so from their arrival; this is for what is done with them later.
  template <class Work>
  void contain(Work&& work) {
    try {
      work();
    } catch (const std::exception& fault) {
      give_up(fault.what());
    }
  }
  telemetry::Recorder* recorder() const { return settings_.recorder; }
  /// Parses a message again that was kept as text, for as long as `use` needs it.
  template <class Use>
  void with_parsed(std::string_view text, Use use) {
    const wire::ParserScope scope(parser_);
    use(*parser_.parse(text));
  }

 private:
  friend class Reply;
  bool on_message(std::string_view text) override;
  void on_oversize_message(std::uint64_t bytes) override;
  void on_writable() override;
  void on_received() override;
  void on_pong(std::string_view payload) override;
  void on_closed(const std::string& reason) override;

  void give_up(const char* what);
  void take_message(std::string_view text);
  std::unique_ptr<RequestRecord> record_of(const wire::Message& message) const;
  void take_request(std::string_view text, const wire::Message& message);
  void take_answer(const wire::Message& message);
  void refuse_message(const std::string& reason);
  /// A request of the other side, of so many bytes, was answered; `counted` unless it had stopped to count.
  void request_done(std::size_t bytes, bool counted);
  void request_exempt();
  template <class Change>
  void change_reading(Change change);
  bool may_call(CallDone& done);
  wire::RequestId begin_call(CallDone done);

  std::unique_ptr<channel::Channel> channel_;
  wire::MessageParser& parser_;
  Settings settings_;
  PeerHandler* handler_ = nullptr;
  ReplyLink open_replies_;
  std::size_t unanswered_ = 0, unanswered_bytes_ = 0;  // requests of the other side
  std::size_t in_flight_ = 0;                          // those of them that count
  bool closed_ = false;
  bool reading_ = true;
  std::optional<std::string> held_message_;  // that came while not reading
  bool may_read() const {
    // One request of any size leaves room for another, which may be what ends its waiting.
    const bool bytes_left = unanswered_ < 2 || unanswered_bytes_ < settings_.request_bytes_in_flight_max;
    return reading_ && in_flight_ < settings_.requests_in_flight_max && bytes_left;
  }
  std::int64_t next_id_ = 1;
  std::unordered_map<std::int64_t, CallDone> calls_;
  std::string scratch_;
};

template <class Params>
void Peer::call(std::string_view method, const Params& params, CallDone done) {
  if (!may_call(done)) return;
  std::string& text = scratch();
  wire::append_request(text, begin_call(std::move(done)), method, params);
  send(text);
}

template <class Params>
std::uint64_t Peer::notify(std::string_view method, const Params& params) {
  std::string& text = scratch();
  wire::append_notification(text, method, params);
  return send(text);
}

}  // namespace outpost::rpc
