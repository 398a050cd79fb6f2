#include "transport/frame_codec.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "transport/frame_encoder.h"

namespace outpost::transport {
namespace {

constexpr unsigned final_bit = 0x80;
constexpr unsigned reserved_bits = 0x70;
constexpr unsigned opcode_bits = 0x0f;
constexpr unsigned mask_bit = 0x80;
constexpr unsigned length_bits = 0x7f;
constexpr unsigned length_in_2_bytes = 126;
constexpr unsigned length_in_8_bytes = 127;
constexpr std::size_t mask_key_bytes = 4;

bool is_control(unsigned opcode) {
  return (opcode & 0x8) != 0;
}
bool is_known(unsigned opcode) {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

std::uint64_t read_big_endian(const char* from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(from[i]);
  return value;
}

/// RFC 6455, 7.4: codes that may stand in a frame. 1012 to 1014 were registered later; 5000 and above are nobody's.
bool may_be_sent(std::uint64_t code) {
  if (code >= 3000) return code <= 4999;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

std::string_view text_of(std::span<const char> bytes) {
  return {bytes.data(), bytes.size()};
}

std::span<char> take(std::span<char>& data, std::uint64_t bytes) {
  const auto taken = data.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, data.size())));
  data = data.subspan(taken.size());
  return taken;
}

}  // namespace

std::size_t FrameDecoder::feed(std::span<char> data, FrameSink& sink) {
  const std::size_t offered_bytes = data.size();
  while (!error_ && !closed_) {
    if (!in_frame_ && !take_head(data)) break;
    if (!take_payload(data, sink)) break;
  }
  if (closed_) data = {};
  if (idle() || error_) message_.release();
  return offered_bytes - data.size();
}

bool FrameDecoder::fill_head(std::span<char>& data, std::size_t bytes) {
  if (head_size_ < bytes) {
    const auto part = take(data, bytes - head_size_);
    std::copy(part.begin(), part.end(), head_.begin() + static_cast<std::ptrdiff_t>(head_size_));
    head_size_ += part.size();
  }
  return head_size_ >= bytes;
}

bool FrameDecoder::take_head(std::span<char>& data) {
  if (!fill_head(data, 2) || !check_first_bytes()) return false;
  const unsigned length_code = static_cast<unsigned char>(head_[1]) & length_bits;
  const std::size_t length_bytes = length_code == length_in_8_bytes ? 8 : length_code == length_in_2_bytes ? 2 : 0;
  const std::size_t key_place = 2 + length_bytes;
  if (!fill_head(data, key_place + (masked_ ? mask_key_bytes : 0))) return false;

  payload_left_ = length_bytes == 0 ? length_code : read_big_endian(head_.data() + 2, length_bytes);
  if (masked_) std::memcpy(&mask_key_, head_.data() + key_place, mask_key_bytes);
  return enter_frame();
}

bool FrameDecoder::check_first_bytes() {
  const unsigned first = static_cast<unsigned char>(head_[0]);
  const unsigned second = static_cast<unsigned char>(head_[1]);
  const unsigned opcode = first & opcode_bits;
  final_ = (first & final_bit) != 0;
  masked_ = (second & mask_bit) != 0;
  opcode_ = static_cast<Opcode>(opcode);

  if ((first & reserved_bits) != 0) return fail(close_code::protocol_error, "reserved bits set");
  if (!is_known(opcode)) return fail(close_code::protocol_error, "unknown opcode");
  if (is_control(opcode)) {
    if (!final_) return fail(close_code::protocol_error, "fragmented control frame");
    if ((second & length_bits) > limits::control_frame_bytes_max) {
      return fail(close_code::protocol_error, "control frame too long");
    }
  } else if (opcode_ == Opcode::continuation && !in_message_) {
    return fail(close_code::protocol_error, "continuation without a message");
  } else if (opcode_ != Opcode::continuation && in_message_) {
    return fail(close_code::protocol_error, "new message inside a fragmented one");
  }
  if (masked_ != (role_ == Role::server)) {
    return fail(close_code::protocol_error, masked_ ? "masked frame from a server" : "unmasked frame from a client");
  }
  return true;
}

bool FrameDecoder::enter_frame() {
  head_size_ = 0;
  in_frame_ = true;
  control_size_ = 0;
  if (is_control(static_cast<unsigned>(opcode_))) return true;
  if (payload_left_ >> 63 != 0) return fail(close_code::protocol_error, "frame length out of range");
  if (opcode_ != Opcode::continuation) {
    in_message_ = true;
    discarding_ = false;
    binary_ = opcode_ == Opcode::binary;
    message_bytes_ = 0;
  }
  message_bytes_ += payload_left_;
  if (message_bytes_ > limits_.discarded_message_bytes_max) return fail(close_code::too_big, "message too big");
  if (message_bytes_ > limits_.message_bytes_max) {
    discarding_ = true;
    message_.release();
  }
  return true;
}

bool FrameDecoder::take_payload(std::span<char>& data, FrameSink& sink) {
  if (is_control(static_cast<unsigned>(opcode_))) return take_control(data, sink);
  if (discarding_) return take_discarded(data, sink);

  const bool whole = final_ && message_.size() == 0 && payload_left_ <= data.size();
  const auto part = take(data, payload_left_);
  payload_left_ -= part.size();
  if (whole) {
    if (masked_) apply_mask(part, mask_key_);
    return deliver(text_of(part), sink);
  }
  if (!part.empty()) {
    // The last frame tells the size of the whole; before it, the buffer doubles however small the fragments are.
    const std::uint64_t final_bytes = final_ ? message_bytes_ : limits_.message_bytes_max;
    char* place = message_.extend(part.size(), static_cast<std::size_t>(final_bytes));
    mask_key_ = copy_masked(place, text_of(part), masked_ ? mask_key_ : 0);
  }
  if (payload_left_ != 0) return false;
  in_frame_ = false;
  return !final_ || deliver(message_.view(), sink);
}

bool FrameDecoder::deliver(std::string_view payload, FrameSink& sink) {
  in_frame_ = false;
  in_message_ = false;
  if (!binary_ && !is_utf8(payload)) return fail(close_code::bad_payload, "text message is not UTF-8");
  const bool go_on = sink.on_message(payload, binary_);
  message_.release();
  return go_on;
}

bool FrameDecoder::take_discarded(std::span<char>& data, FrameSink& sink) {
  payload_left_ -= take(data, payload_left_).size();
  if (payload_left_ != 0) return false;
  in_frame_ = false;
  if (!final_) return true;
  in_message_ = false;
  sink.on_oversize(message_bytes_);
  return true;
}

bool FrameDecoder::take_control(std::span<char>& data, FrameSink& sink) {
  auto payload = take(data, payload_left_);
  payload_left_ -= payload.size();
  if (masked_) mask_key_ = apply_mask(payload, mask_key_);
  if (payload_left_ != 0 || control_size_ != 0) {
    std::copy(payload.begin(), payload.end(), control_.begin() + static_cast<std::ptrdiff_t>(control_size_));
    control_size_ += payload.size();
    payload = std::span(control_).first(control_size_);
  }
  if (payload_left_ != 0) return false;
  in_frame_ = false;
  return report_control(text_of(payload), sink);
}

bool FrameDecoder::report_control(std::string_view payload, FrameSink& sink) {
  if (opcode_ == Opcode::close) return report_close(payload, sink);
  if (opcode_ == Opcode::ping) {
    sink.on_ping(payload);
  } else {
    sink.on_pong(payload);
  }
  return true;
}

bool FrameDecoder::report_close(std::string_view payload, FrameSink& sink) {
  std::uint64_t code = close_code::none;
  std::string_view reason;
  if (!payload.empty()) {
    if (payload.size() < 2) return fail(close_code::protocol_error, "close frame of one byte");
    code = read_big_endian(payload.data(), 2);
    reason = payload.substr(2);
    if (!may_be_sent(code)) return fail(close_code::protocol_error, "close code out of range");
    if (!is_utf8(reason)) return fail(close_code::protocol_error, "close reason is not UTF-8");
  }
  closed_ = true;
  in_message_ = false;
  sink.on_close(static_cast<std::uint16_t>(code), reason);
  return false;
}

bool FrameDecoder::fail(std::uint16_t code, std::string_view text) {
  error_ = ProtocolError{code, text};
  return false;
}

}  // namespace outpost::transport
