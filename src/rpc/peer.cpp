#include "rpc/peer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits/messages.h"
#include "wire/error_codes.h"
#include "wire/quoted_text.h"

namespace outpost::rpc {

namespace {
// A scratch string that grew beyond this is given back after its message.
constexpr std::size_t scratch_bytes_kept = 4096;
}  // namespace

Peer::Peer(std::unique_ptr<channel::Channel> channel, wire::MessageParser& parser, Settings settings)
    : channel_(std::move(channel)), parser_(parser), settings_(settings) {}

Peer::~Peer() {
  while (open_replies_.next() != &open_replies_) open_replies_.next()->leave();
}

void Peer::start(PeerHandler& handler) {
  handler_ = &handler;
  channel_->start(*this);
}

std::uint64_t Peer::send(std::string_view text) {
  const channel::Channel::Slot slot = channel_->append(text.size());
  std::ranges::copy(text, slot.bytes.begin());
  return slot.end_offset;
}

std::string& Peer::scratch() {
  // Not by assignment: a string that takes over a short one keeps its own memory.
  if (scratch_.capacity() > scratch_bytes_kept) std::string().swap(scratch_);
  scratch_.clear();
  return scratch_;
}

bool Peer::on_message(std::string_view text) {
  if (closed_) return false;
  if (!reading_) {
    held_message_ = text;  // the only one: the channel pauses now
    return false;
  }
  contain([&] { take_message(text); });
  return may_read();
}

void Peer::give_up(const char* what) {
  telemetry::log_event(settings_.log, telemetry::LogLevel::error, "connection ended by an internal error",
                       {{"peer", channel_->peer()}, {"error", std::string_view(what)}});
  close(std::string("internal error: ") + what);
}

void Peer::take_message(std::string_view text) {
  const wire::ParserScope scope(parser_);
  const Result<wire::Message> message = parser_.parse(text);
  if (!message) return refuse_message(message.error().message);
  switch (message->kind) {
    case wire::MessageKind::request:
      take_request(text, *message);
      break;
    case wire::MessageKind::notification:
      if (const Result<> taken = handler_->on_notification(message->method, message->params); !taken) {
        close(taken.error().message);
      }
      break;
    case wire::MessageKind::response:
    case wire::MessageKind::error:
      take_answer(*message);
      break;
  }
}

void Peer::on_oversize_message(std::uint64_t) {
  refuse_message("message exceeds the limit of " + std::to_string(limits::message_bytes_max) + " bytes");
}

void Peer::refuse_message(const std::string& reason) {
  const std::string prefix =
      channel_->kind() == channel::TransportKind::stdio
          ? "failed to parse JSON-RPC message from exec-server stdio: "
          : "failed to parse websocket JSON-RPC message from exec-server websocket " + channel_->peer() + ": ";
  telemetry::log_event(settings_.log, telemetry::LogLevel::warn, "malformed message", {{"peer", channel_->peer()}});
  std::string& text = scratch();
  wire::append_error_answer(text, wire::RequestId(wire::malformed_message_id),
                            {ErrorKind::malformed_message, prefix + reason});
  send(text);
}

std::unique_ptr<RequestRecord> Peer::record_of(const wire::Message& message) const {
  if (settings_.recorder == nullptr) return nullptr;
  auto record =
      std::make_unique<RequestRecord>(RequestRecord{*settings_.recorder, nullptr, std::chrono::steady_clock::now()});
  const auto parent = telemetry::parse_trace_context(message.traceparent, message.tracestate);
  // Named by what is registered; text from the wire stands in the attribute alone (observability 2).
  record->span = settings_.recorder->start_span(
      {.name = record->method, .kind = telemetry::SpanKind::server, .parent = parent ? &*parent : nullptr});
  record->span->set("method", wire::detail::shortened(message.method));
  return record;
}

void Peer::take_request(std::string_view text, const wire::Message& message) {
  ++in_flight_;
  ++unanswered_;
  unanswered_bytes_ += text.size();
  Reply reply(weak_from_this(), message.id, text.size(), record_of(message), &open_replies_);
  handler_->on_request({.text = text, .method = message.method, .params = message.params, .reply = std::move(reply)});
}

void Peer::take_answer(const wire::Message& message) {
  const auto found = message.id.is_number() ? calls_.find(message.id.number()) : calls_.end();
  if (found == calls_.end()) return close("the peer answered a request that was not sent");
  CallDone done = std::move(found->second);
  calls_.erase(found);
  if (message.kind == wire::MessageKind::response) return done(message.result);
  done(fail(wire::error_from_wire(message.error_code, message.error_message, message.error_data)));
}

template <class Change>
void Peer::change_reading(Change change) {
  const bool could_read = may_read();
  change();
  if (!could_read && may_read()) channel_->resume_reading();
}

void Peer::request_done(std::size_t bytes, bool counted) {
  change_reading([&] {
    --unanswered_;
    unanswered_bytes_ -= bytes;
    if (counted) --in_flight_;
  });
}

void Peer::request_exempt() {
  change_reading([&] { --in_flight_; });
}

void Peer::set_reading(bool reading) {
  change_reading([&] {
    reading_ = reading;
    if (!reading || !held_message_ || closed_) return;
    const std::string text = *std::exchange(held_message_, std::nullopt);
    contain([&] { take_message(text); });
  });
}

bool Peer::may_call(CallDone& done) {
  if (closed_) {
    done(fail(ErrorKind::connection_lost, "the connection is closed"));
    return false;
  }
  if (calls_.size() < limits::requests_in_flight_max) return true;
  done(fail(ErrorKind::limit_reached,
            "at most " + std::to_string(limits::requests_in_flight_max) + " requests may be in flight"));
  return false;
}

wire::RequestId Peer::begin_call(CallDone done) {
  const std::int64_t id = next_id_++;
  calls_.emplace(id, std::move(done));
  return wire::RequestId(id);
}

std::unique_ptr<channel::Dissolved> Peer::dissolve() {
  auto dissolved = channel_->dissolve();
  if (dissolved) closed_ = true;
  return dissolved;
}

Reply Peer::adopt_request(wire::RequestId id, std::unique_ptr<RequestRecord> record) {
  ++in_flight_;
  ++unanswered_;
  return Reply(weak_from_this(), std::move(id), 0, std::move(record), &open_replies_);
}

bool Peer::cancel(const wire::RequestId& id, const Reply& asking) {
  bool found = false;
  std::vector<std::move_only_function<void()>> tasks;
  for (ReplyLink* link = open_replies_.next(); link != &open_replies_; link = link->next()) {
    auto& reply = static_cast<Reply&>(*link);
    if (&reply == &asking || reply.id_ != id) continue;
    found = true;
    if (reply.when_cancelled_) tasks.push_back(std::exchange(reply.when_cancelled_, nullptr));
  }
  for (auto& task : tasks) task();
  return found;
}

void Peer::on_writable() {
  if (!closed_) contain([&] { handler_->on_writable(); });
}

void Peer::on_received() {
  if (!closed_) contain([&] { handler_->on_received(); });
}

void Peer::on_pong(std::string_view payload) {
  if (!closed_) contain([&] { handler_->on_pong(payload); });
}

void Peer::on_closed(const std::string& reason) {
  closed_ = true;
  const auto self = shared_from_this();  // a handler may let go of this peer
  for (auto& [id, done] : std::exchange(calls_, {})) done(fail(ErrorKind::connection_lost, reason));
  handler_->on_closed(reason);
}

}  // namespace outpost::rpc
