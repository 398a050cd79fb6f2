#include "server/delivery.h"

#include <charconv>
#include <string>
#include <utility>

#include "wire/protocol/session.h"

namespace outpost::server {

namespace {

ReceiptMode mode_of(channel::TransportKind transport) {
  switch (transport) {
    case channel::TransportKind::websocket:
      return ReceiptMode::ping;
    case channel::TransportKind::relay:
      return ReceiptMode::socket;
    case channel::TransportKind::stdio:
      return ReceiptMode::none;
  }
  std::unreachable();
}

}  // namespace

std::string_view name_of(ReceiptMode mode) {
  switch (mode) {
    case ReceiptMode::none:
      return "none";
    case ReceiptMode::socket:
      return "socket";
    case ReceiptMode::ping:
      return "ping";
    case ReceiptMode::mark:
      return "mark";
  }
  std::unreachable();
}

Delivery::Delivery(Loop& loop, rpc::Peer& peer, OnProof on_proof)
    : peer_(peer), on_proof_(std::move(on_proof)), mode_(mode_of(peer.transport())), socket_look_(loop) {}

void Delivery::use_marks() {
  if (mode_ != ReceiptMode::none) mode_ = ReceiptMode::mark;
}

void Delivery::sent(std::size_t bytes) {
  if (mode_ == ReceiptMode::none) return;
  if (mode_ == ReceiptMode::socket) return look_later();  // without marks, which could run out
  if (ledger().sent(bytes)) mark();
}

void Delivery::look_later() {
  if (!socket_look_.running()) socket_look_.start(limits::taken_poll, [this] { look_at_socket(); });
}

void Delivery::want_proof(std::uint64_t offset) {
  if (offset == 0 || mode_ == ReceiptMode::none) return;
  if (mode_ == ReceiptMode::socket) {
    look_later();
  } else if (!ledger().covers(offset) && ledger().may_mark()) {
    mark();
  }
}

void Delivery::mark() {
  if (mode_ == ReceiptMode::ping) {
    send_ping();
  } else {
    const auto number = static_cast<std::int64_t>(marks_.next());
    marks_.marked(peer_.notify("outpost/session/mark", wire::ReceiptMark{number}));
  }
}

bool Delivery::send_ping() {
  const std::uint64_t offset = peer_.ping(std::to_string(pings_.next()));
  if (offset == 0) return false;
  pings_.marked(offset);
  return true;
}

void Delivery::look_at_socket() {
  // What isn't taken yet is looked for again.
  if (!peer_.all_taken()) look_later();
  on_proof_(peer_.acknowledged_offset());
}

void Delivery::on_pong(std::string_view payload) {
  std::uint64_t number = 0;
  const std::errc error = std::from_chars(payload.data(), payload.data() + payload.size(), number).ec;
  if (error != std::errc() || payload != std::to_string(number)) return;
  const std::optional<std::uint64_t> offset = pings_.prove(number);
  if (!offset) return;
  ++pongs_;
  if (mode_ != ReceiptMode::ping) return;
  on_proof_(*offset);
  if (pings_.due()) mark();
}

Result<> Delivery::on_receipt(std::uint64_t number) {
  if (mode_ != ReceiptMode::mark) return fail(ErrorKind::malformed_message, "unexpected receipt");
  if (!marks_.was_sent(number)) return fail(ErrorKind::malformed_message, "a receipt for a mark that was never sent");
  if (const auto offset = marks_.prove(number)) {
    on_proof_(*offset);
    if (marks_.due()) mark();
  }
  return {};
}

bool Delivery::say_something() {
  if (pings_.may_mark() && send_ping()) return true;
  if (mode_ != ReceiptMode::mark || !marks_.may_mark()) return false;
  mark();
  return true;
}

}  // namespace outpost::server
