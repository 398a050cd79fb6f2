#include "rpc/reply.h"

#include <array>
#include <utility>

#include "rpc/peer.h"

namespace outpost::rpc {

namespace {
double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}
std::int64_t nanoseconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}
}  // namespace

void RequestRecord::name(std::string_view registered_method) {
  method = registered_method;
  span->set_name(method);
}

void RequestRecord::begin() {
  begun = std::chrono::steady_clock::now();
  const std::array labels{telemetry::Label{"method", method}};
  recorder.observe(telemetry::Histogram::request_queue_duration, labels, seconds_between(received, begun));
}

void RequestRecord::finish(std::string_view result) {
  const auto now = std::chrono::steady_clock::now();
  const bool handled = begun >= received;
  const std::array labels{telemetry::Label{"method", method}, telemetry::Label{"result", result}};
  recorder.add(telemetry::Counter::requests, labels, 1);
  recorder.observe(telemetry::Histogram::request_total_duration, labels, seconds_between(received, now));
  if (handled) recorder.observe(telemetry::Histogram::request_duration, labels, seconds_between(begun, now));
  if (handled && result != "disconnected") {
    span->set("rpc.dispatch_offset_ns", nanoseconds_between(received, begun));
    span->set("rpc.response_enqueue_offset_ns", nanoseconds_between(received, now));
  }
  span->set("result", result);
  span->end();
}

Reply::Reply(std::weak_ptr<Peer> peer, wire::RequestId id, std::size_t bytes, std::unique_ptr<RequestRecord> record,
             ReplyLink* ring)
    : peer_(std::move(peer)), id_(std::move(id)), record_(std::move(record)), bytes_(bytes) {
  if (ring != nullptr) join(*ring);
}

Reply::Reply(Reply&& other) noexcept
    : ReplyLink(),
      peer_(std::move(other.peer_)),
      id_(std::move(other.id_)),
      record_(std::move(other.record_)),
      when_done_(std::move(other.when_done_)),
      when_cancelled_(std::move(other.when_cancelled_)),
      open_(std::exchange(other.open_, false)),
      counted_(std::exchange(other.counted_, false)),
      bytes_(other.bytes_) {
  if (other.next() == &other) return;
  join(other);
  other.leave();
}

Reply::~Reply() {
  if (open_) error({ErrorKind::internal, "the request was given up"});
}

std::unique_ptr<RequestRecord> Reply::abandon() {
  open_ = false;
  leave();
  return std::move(record_);
}

std::string& Reply::scratch_of(Peer& peer) {
  return peer.scratch();
}

void Reply::send_scratch_of(Peer& peer) {
  peer.send(peer.scratch_);
}

channel::Channel::Slot Reply::reserve(std::size_t bytes) {
  const auto peer = spend(true);
  return peer ? peer->reserve(bytes) : channel::Channel::Slot{.bytes = {}, .end_offset = 0};
}

void Reply::ok_json(std::string_view json) {
  if (const auto peer = spend(true)) {
    wire::write_answer(peer->reserve(wire::answer_size(id_, json)).bytes.data(), id_, json);
  }
}

void Reply::error(const Error& error) {
  if (const auto peer = spend(false)) {
    wire::write_error_answer(peer->reserve(wire::error_answer_size(id_, error)).bytes.data(), id_, error);
  }
}

void Reply::exempt() {
  if (!std::exchange(counted_, false)) return;
  if (const auto peer = peer_.lock()) peer->request_exempt();
}

std::shared_ptr<Peer> Reply::spend(bool success) {
  if (!std::exchange(open_, false)) return nullptr;
  leave();
  std::shared_ptr<Peer> peer = peer_.lock();
  // What is given up while the end of the connection is told finds it still there.
  if (peer && peer->closed_) peer.reset();
  if (record_) record_->finish(!peer ? "disconnected" : success ? "success" : "error");
  if (peer) peer->request_done(bytes_, counted_);
  if (when_done_) std::exchange(when_done_, nullptr)();
  return peer;
}

}  // namespace outpost::rpc
