#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "channel/channel.h"
#include "telemetry/recorder.h"
#include "wire/answers.h"
#include "wire/codec.h"
#include "wire/request_id.h"

namespace outpost::rpc {

class Peer;

/// A place in the ring of the requests of a peer that aren't answered yet.
class ReplyLink {
 public:
  ReplyLink() = default;
  ReplyLink(const ReplyLink&) = delete;
  ReplyLink& operator=(const ReplyLink&) = delete;
  ~ReplyLink() { leave(); }
  void join(ReplyLink& ring) {
    next_ = &ring;
    previous_ = std::exchange(ring.previous_, this);
    previous_->next_ = this;
  }
  void leave() {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = this;
  }
  ReplyLink* next() const { return next_; }

 private:
  ReplyLink* next_ = this;
  ReplyLink* previous_ = this;
};

/// What is recorded of one request while it is under way; only with a recorder.
struct RequestRecord {
  telemetry::Recorder& recorder;
  std::unique_ptr<telemetry::Span> span;
  std::chrono::steady_clock::time_point received;
  std::chrono::steady_clock::time_point begun{};  ///< when its handling began; not before: still waiting
  std::string_view method = "unknown";            ///< a name of ours, never text from the wire

  /// The method is registered under this name.
  void name(std::string_view registered_method);
  /// Handling begins.
  void begin();
  /// `result` is `success`, `error` or `disconnected`.
  void finish(std::string_view result);
};

/// The duty to answer one request. It is answered exactly once: a reply that is destroyed unanswered answers with an
/// internal error. When the connection is gone, answering does nothing. Belongs to the loop of its peer.
class Reply : private ReplyLink {
 public:
  /// `bytes`: how much of the peer's bound on what is in flight the request takes, until it is answered.
  Reply(std::weak_ptr<Peer> peer, wire::RequestId id, std::size_t bytes,
        std::unique_ptr<RequestRecord> record = nullptr, ReplyLink* ring = nullptr);
  Reply(Reply&& other) noexcept;
  Reply& operator=(Reply&&) = delete;
  ~Reply();

  /// Answers with a DTO, which is encoded aside and then copied: hot answers use one of the others.
  template <class T>
  void ok(const T& result) {
    if (const auto peer = spend(true)) {
      wire::append_answer(scratch_of(*peer), id_, result);
      send_scratch_of(*peer);
    }
  }
  /// Answers with a result that is JSON already.
  void ok_json(std::string_view json);
  void error(const Error& error);
  /// Answers with a whole message of `bytes` bytes that `write(char*)` fills, built with `id`. Gives the offset in the
  /// channel's outgoing bytes at which it ends; 0 if nobody is there to be answered.
  template <class Write>
  std::uint64_t write(std::size_t bytes, Write&& write) {
    const channel::Channel::Slot slot = reserve(bytes);
    if (slot.end_offset != 0) write(slot.bytes.data());
    return slot.end_offset;
  }

  const wire::RequestId& id() const { return id_; }
  /// Somebody else answers: this reply is over without a word. Gives what was recorded of the request so far.
  std::unique_ptr<RequestRecord> abandon();
  /// What is recorded of the request; null when nothing listens.
  RequestRecord* record() const { return record_.get(); }
  /// The span of the request, to parent what it causes; null when nothing listens.
  telemetry::Span* span() const { return record_ ? record_->span.get() : nullptr; }
  /// Calls `task` when the request is answered, or can't be any more. At most one.
  void when_done(std::move_only_function<void()> task) { when_done_ = std::move(task); }
  /// Calls `task` when the client gives the request up (extensions 11): whoever can end it early answers it then or
  /// later, and all others need no task. At most one.
  void when_cancelled(std::move_only_function<void()> task) { when_cancelled_ = std::move(task); }
  /// Not answered yet.
  bool open() const { return open_; }
  /// The request no longer counts against the number in flight (processes-and-sessions 4.2); its bytes do.
  void exempt();

 private:
  friend class Peer;
  channel::Channel::Slot reserve(std::size_t bytes);
  static std::string& scratch_of(Peer& peer);
  static void send_scratch_of(Peer& peer);
  /// The peer, if there is one to answer to; the reply is spent.
  std::shared_ptr<Peer> spend(bool success);

  std::weak_ptr<Peer> peer_;
  wire::RequestId id_;
  std::unique_ptr<RequestRecord> record_;
  std::move_only_function<void()> when_done_;
  std::move_only_function<void()> when_cancelled_;
  bool open_ = true;
  bool counted_ = true;
  std::size_t bytes_;
};

}  // namespace outpost::rpc
