#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/frame_codec.h"
#include "transport/frame_encoder.h"

namespace outpost::transport::test {

/// Writes down everything that a decoder reports, in order.
class EventLog : public FrameSink {
 public:
  bool on_message(std::string_view payload, bool binary) override {
    events.push_back((binary ? "binary " : "text ") + std::string(payload));
    last_payload_place = payload.data();
    return events.size() < stop_after_events;
  }
  void on_oversize(std::uint64_t bytes) override { events.push_back("oversize " + std::to_string(bytes)); }
  void on_ping(std::string_view payload) override { events.push_back("ping " + std::string(payload)); }
  void on_pong(std::string_view payload) override { events.push_back("pong " + std::string(payload)); }
  void on_close(std::uint16_t code, std::string_view reason) override {
    events.push_back("close " + std::to_string(code) + " " + std::string(reason));
  }

  std::vector<std::string> events;
  const char* last_payload_place = nullptr;
  std::size_t stop_after_events = SIZE_MAX;
};

/// How a frame differs from a plain whole one.
struct FrameShape {
  bool final = true;
  unsigned reserved_bits = 0;
  bool wrong_mask = false;       ///< masked where it must not be, or the other way round
  std::size_t length_bytes = 0;  ///< 2 or 8: that form of length even if a shorter one would do
  std::uint32_t mask_key = 0x44332211;
};

/// The bytes of a frame, as `sender` writes it, made without the encoder under test.
inline std::string make_frame(Role sender, unsigned opcode, std::string_view payload, FrameShape shape = {}) {
  const bool masked = (sender == Role::client) != shape.wrong_mask;
  std::size_t length_bytes = payload.size() < 126 ? 0 : payload.size() < 65536 ? 2 : 8;
  length_bytes = std::max(length_bytes, shape.length_bytes);
  std::string frame;
  frame.push_back(static_cast<char>((shape.final ? 0x80U : 0U) | shape.reserved_bits << 4 | opcode));
  const std::size_t length_code = length_bytes == 8 ? 127 : length_bytes == 2 ? 126 : payload.size();
  frame.push_back(static_cast<char>((masked ? 0x80U : 0U) | length_code));
  for (std::size_t i = length_bytes; i-- > 0;) frame.push_back(static_cast<char>(payload.size() >> (8 * i) & 0xff));
  if (!masked) return frame.append(payload);
  std::string key;
  for (int i = 0; i < 4; ++i) key.push_back(static_cast<char>(shape.mask_key >> (8 * i) & 0xff));
  frame.append(key);
  for (std::size_t i = 0; i < payload.size(); ++i) frame.push_back(static_cast<char>(payload[i] ^ key[i % 4]));
  return frame;
}

inline std::string make_fragment(Role sender, unsigned opcode, std::string_view payload, bool final) {
  return make_frame(sender, opcode, payload, {.final = final});
}

/// The outcome of decoding: the events, then how it ended.
struct Outcome {
  std::vector<std::string> events;
  int error_code = 0;  ///< 0: none
  bool idle = false;
  bool closed = false;

  bool operator==(const Outcome&) const = default;
};

inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  for (const auto& event : outcome.events) *out << "[" << event.substr(0, 80) << "] ";
  *out << "error " << outcome.error_code << (outcome.idle ? " idle" : "") << (outcome.closed ? " closed" : "");
}

/// Feeds `bytes` in the given portions (the rest in one) to a decoder of `receiver`.
inline Outcome decode(Role receiver, std::string bytes, const std::vector<std::size_t>& portions = {},
                      FrameLimits limits = {}) {
  FrameDecoder decoder(receiver, limits);
  EventLog log;
  std::span<char> left(bytes);
  for (const std::size_t portion : portions) {
    const auto part = left.first(std::min(portion, left.size()));
    left = left.subspan(part.size());
    decoder.feed(part, log);
  }
  decoder.feed(left, log);
  const int code = decoder.error() ? decoder.error()->close_code : 0;
  return {std::move(log.events), code, decoder.idle(), decoder.closed()};
}

}  // namespace outpost::transport::test
