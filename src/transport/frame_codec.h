#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/limits/messages.h"
#include "transport/growing_buffer.h"

/// The framing of a websocket connection (RFC 6455, 5) after its upgrade: bytes in, messages out. No I/O and no clock;
/// one decoder belongs to one connection and to one thread. What is written the other way is in `frame_encoder.h`.
namespace outpost::transport {

/// Which side of the connection we are: a server gets masked frames and sends bare ones, a client the other way round.
enum class Role { server, client };

/// RFC 6455, 5.2. Anything else is a protocol error.
enum class Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// RFC 6455, 7.4.1, as far as this codec makes or hands out such codes itself.
namespace close_code {
inline constexpr std::uint16_t normal = 1000;
inline constexpr std::uint16_t protocol_error = 1002;
inline constexpr std::uint16_t none = 1005;  ///< never on the wire: a close frame without a code
inline constexpr std::uint16_t bad_payload = 1007;
inline constexpr std::uint16_t too_big = 1009;
}  // namespace close_code

/// What a decoder found. Called from within `FrameDecoder::feed`; every view dies when the call returns. An
/// implementation must not call the decoder that calls it.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// A whole message, fragments joined, unmasked. `binary` is false for a text message, which is valid UTF-8 then; the
  /// payload of a binary one isn't checked. Return false to stop after this message: `feed` then returns at once.
  virtual bool on_message(std::string_view payload, bool binary) = 0;
  /// A message longer than `FrameLimits::message_bytes_max` has ended; its `bytes` were discarded as they came.
  virtual void on_oversize(std::uint64_t bytes) = 0;
  /// A ping, to be answered by a pong with the same payload (at most 125 bytes).
  virtual void on_ping(std::string_view payload) = 0;
  virtual void on_pong(std::string_view payload) = 0;
  /// The peer's close frame, the last thing a decoder reports. `code` is `close_code::none` when the frame had none;
  /// `reason` is valid UTF-8.
  virtual void on_close(std::uint16_t code, std::string_view reason) = 0;
};

/// Bounds of the messages of one connection, in bytes (processes-and-sessions 1.5).
struct FrameLimits {
  std::uint64_t message_bytes_max = limits::message_bytes_max;                      ///< above: discarded
  std::uint64_t discarded_message_bytes_max = limits::discarded_message_bytes_max;  ///< above: `too_big`
};

/// Why a connection can't go on. `text` is a literal for people and for the close frame.
struct ProtocolError {
  std::uint16_t close_code;
  std::string_view text;
};

/// Cuts the bytes of a connection into messages, in any portions, and keeps what isn't complete yet.
///
/// A frame that is a whole message and lies whole in the bytes at hand is handled where it is, without a copy. Other
/// messages are collected in a buffer that grows with what came, never by a length that was only declared, and is
/// freed when nothing is half-received. Lengths in a longer form than needed are accepted, as the reference does.
class FrameDecoder {
 public:
  explicit FrameDecoder(Role role, FrameLimits limits = {}) : role_(role), limits_(limits) {}

  /// Consumes `data`, unmasking it in place, and calls `sink` for each whole message and control frame. Returns the
  /// number of bytes consumed: fewer than `data.size()` only if `on_message` returned false (feed the rest again later)
  /// or after a protocol error (`error()` is set, and nothing is consumed any more). What follows a close frame is
  /// consumed and ignored. A text message that isn't UTF-8 is found at its end.
  std::size_t feed(std::span<char> data, FrameSink& sink);

  /// Set once, by the `feed` that met it: send a close frame of this code and end the connection.
  std::optional<ProtocolError> error() const { return error_; }
  /// Nothing is half-received: no part of a frame or of a message is held, and no memory for one.
  bool idle() const { return head_size_ == 0 && !in_frame_ && !in_message_; }
  /// The peer's close frame was reported.
  bool closed() const { return closed_; }
  /// Bytes of memory held beside the object itself. Zero when idle.
  std::size_t held_bytes() const { return message_.capacity(); }

 private:
  // Each returns whether the loop of `feed` goes on; false: more bytes are needed, or it is to stop.
  bool take_head(std::span<char>& data);
  bool fill_head(std::span<char>& data, std::size_t bytes);
  bool check_first_bytes();
  bool enter_frame();
  bool take_payload(std::span<char>& data, FrameSink& sink);
  bool take_control(std::span<char>& data, FrameSink& sink);
  bool take_discarded(std::span<char>& data, FrameSink& sink);
  bool deliver(std::string_view payload, FrameSink& sink);
  bool report_control(std::string_view payload, FrameSink& sink);
  bool report_close(std::string_view payload, FrameSink& sink);
  bool fail(std::uint16_t code, std::string_view text);

  static constexpr std::size_t head_bytes_max = 14;  // fixed by RFC 6455, 5.2

  Role role_;
  FrameLimits limits_;
  std::optional<ProtocolError> error_;
  bool closed_ = false;

  // The head of the frame at hand, as far as it came.
  std::array<char, head_bytes_max> head_{};
  std::size_t head_size_ = 0;

  // The frame at hand, from the end of its head on.
  bool in_frame_ = false;
  bool final_ = false;
  bool masked_ = false;
  Opcode opcode_ = Opcode::continuation;
  std::uint32_t mask_key_ = 0;  // turned so that its first byte is that of the next byte of payload
  std::uint64_t payload_left_ = 0;
  std::array<char, limits::control_frame_bytes_max> control_{};
  std::size_t control_size_ = 0;

  // The message at hand: from its first frame to its last, control frames in between.
  bool in_message_ = false;
  bool binary_ = false;
  bool discarding_ = false;
  std::uint64_t message_bytes_ = 0;  // as declared by its frames so far
  GrowingBuffer message_;
};

}  // namespace outpost::transport
