#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace outpost::channel {

enum class TransportKind { websocket, stdio, relay };

/// What a channel tells its user, on its loop.
class ChannelHandler {
 public:
  virtual ~ChannelHandler() = default;
  /// One whole message; the text holds until the return. False: no further message until `Channel::resume_reading`.
  virtual bool on_message(std::string_view text) = 0;
  /// A message of `bytes` was longer than a message may be; it was discarded.
  virtual void on_oversize_message(std::uint64_t bytes) = 0;
  /// The outgoing bytes fell to the soft limit again, after `Channel::writable` had been false.
  virtual void on_writable() = 0;
  /// Something came, whatever it is; before it is looked at.
  virtual void on_received() {}
  /// The answer to a `Channel::ping`, or to none.
  virtual void on_pong(std::string_view) {}
  /// The channel is over, told once and last, also after a `close` of one's own. `reason` is for the log.
  virtual void on_closed(const std::string& reason) = 0;
};

/// A channel on its way from one loop to another: a value that belongs to none.
class Dissolved {
 public:
  virtual ~Dissolved() = default;
};

/// An ordered, message-wise, two-way connection. It belongs to a loop and is used there only.
///
/// Outgoing messages are written in place: `append` reserves one whole message in the outgoing buffer and the caller
/// fills it before it returns to the loop. Inside a read wake-up everything appended goes out in one send at its end,
/// elsewhere in one posted flush.
class Channel {
 public:
  struct Slot {
    std::span<char> bytes;     ///< to be filled whole, before the next call of any kind
    std::uint64_t end_offset;  ///< offset in this channel's outgoing bytes at which the message ends
  };

  virtual ~Channel() = default;
  /// Never fails: on a closed channel the slot goes nowhere. It bounds nothing: what can wait asks `writable` first
  /// (events), what was asked for and may be large asks `takes_answers`; the rest is small and bounded by what is read.
  virtual Slot append(std::size_t bytes) = 0;
  /// False while more than `limits::outgoing_bytes_soft` wait to be sent; `on_writable` tells the end of that.
  virtual bool writable() const = 0;
  /// False while more than `limits::outgoing_bytes_busy` wait to be sent. Nothing more is read meanwhile, which bounds
  /// the answers made at once; one that is ready later, when much waits already, is held by its maker. `writable` is
  /// false then as well, so that `on_writable` tells the end of that, too.
  virtual bool takes_answers() const = 0;
  /// Goes on after `on_message` returned false; the next message comes from the loop, not from within this call.
  virtual void resume_reading() = 0;
  /// Ends the channel without a word to the peer. `on_closed` follows from the loop.
  virtual void close(std::string reason) = 0;
  /// As `close`, with a code and a text for the peer where the kind of channel can say them; what was appended before
  /// goes first, if it can go at once.
  virtual void close_with(std::uint16_t code, std::string reason) {
    (void)code;
    close(std::move(reason));
  }
  /// Sends a ping with this payload; the offset in the outgoing bytes at which it ends. 0 if this kind of channel has
  /// none, or it is closed.
  virtual std::uint64_t ping(std::string_view) { return 0; }
  /// How much has come, as far as the system knows; for telling whether the other end lives. 0 where it can't be told.
  virtual std::uint64_t received_bytes() const { return 0; }
  /// Whether something came that wasn't read yet, as far as the system knows.
  virtual bool has_unread() const { return false; }
  /// The offset in the outgoing bytes up to which the other system has acknowledged them; all, where it can't be told.
  virtual std::uint64_t acknowledged_offset() const { return UINT64_MAX; }
  /// No outgoing bytes wait, here or in the system, for the other end to take them.
  virtual bool all_taken() const { return true; }
  /// Takes the channel off its loop, to be made anew on another one by the kind's own function: nothing that came or is
  /// to go is lost, and `on_closed` is not called. Not from within a call of the handler, and only while reading is
  /// paused. Null if it is closed, or of a kind that can't move.
  virtual std::unique_ptr<Dissolved> dissolve() { return nullptr; }
  /// Begins to read; messages come to `handler`, which must live until its `on_closed`.
  virtual void start(ChannelHandler& handler) = 0;

  virtual TransportKind kind() const = 0;
  /// The other end, for error texts and the log: `127.0.0.1:57904`; empty on stdio.
  virtual const std::string& peer() const = 0;
};

}  // namespace outpost::channel
