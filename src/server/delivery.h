#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "base/loop.h"
#include "base/result.h"
#include "rpc/peer.h"
#include "server/receipt_ledger.h"

namespace outpost::server {

/// How a connection proves what has arrived (extensions 5.1, 5.3).
enum class ReceiptMode {
  none,    ///< not at all: what is written counts as received
  socket,  ///< by what its system has acknowledged
  ping,    ///< by the pongs to numbered pings
  mark,    ///< by the receipts of its client
};
/// As the answer to `initialize` names it.
std::string_view name_of(ReceiptMode mode);

/// Finds out what has arrived of what one connection was sent. Belongs to the loop of its peer.
class Delivery {
 public:
  /// Told of proof: all that ended at or before `offset` has arrived.
  using OnProof = std::function<void(std::uint64_t offset)>;

  Delivery(Loop& loop, rpc::Peer& peer, OnProof on_proof);

  ReceiptMode mode() const { return mode_; }
  /// The pings of a connection that moves to another loop, with its channel and its offsets.
  ReceiptLedger pings() const { return pings_; }
  void adopt_pings(ReceiptLedger pings) { pings_ = std::move(pings); }
  /// The client answers marks, unless its connection can't be resumed anyway.
  void use_marks();

  /// A message about processes was sent; a mark follows it if one is due. Not while a message is being written.
  void sent(std::size_t bytes);
  /// Proof of what ended at `offset` is needed soon.
  void want_proof(std::uint64_t offset);
  void on_pong(std::string_view payload);
  /// An error for a mark that was never sent, or on a connection without marks.
  Result<> on_receipt(std::uint64_t mark);

  /// Says something that a living peer answers; false if there is nothing of that kind.
  bool say_something();
  /// A ping or mark waits for its answer.
  bool unanswered() const { return pings_.outstanding() || marks_.outstanding(); }
  /// Pings that were answered, ever.
  std::uint64_t pongs() const { return pongs_; }
  /// The peer lives but answers no pings: from now on what its system took counts.
  void trust_socket() { mode_ = ReceiptMode::socket; }

 private:
  ReceiptLedger& ledger() { return mode_ == ReceiptMode::mark ? marks_ : pings_; }
  void mark();
  bool send_ping();
  void look_later();
  void look_at_socket();

  rpc::Peer& peer_;
  OnProof on_proof_;
  ReceiptMode mode_;
  ReceiptLedger pings_, marks_;
  std::uint64_t pongs_ = 0;
  Timer socket_look_;
};

}  // namespace outpost::server
