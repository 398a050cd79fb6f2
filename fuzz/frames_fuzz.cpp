// Any bytes, in any portions and with any stops, end as in one piece, and memory follows what came.
#include <cstdint>
#include <cstdlib>

#include "../tests/transport/frame_events.h"

using namespace outpost::transport;

/// Stops the decoder behind a message where the next bit of `stops` says so.
struct StoppingLog final : test::EventLog {
  bool on_message(std::string_view payload, bool binary) override {
    stopped = stops >> messages++ % 8 & 1;
    return test::EventLog::on_message(payload, binary) && stopped == 0;
  }
  unsigned stops = 0, messages = 0, stopped = 0;
};

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const Role role = (data[0] & 1) != 0 ? Role::server : Role::client;
  const FrameLimits limits{.message_bytes_max = data[1] * 8ULL, .discarded_message_bytes_max = data[1] * 16ULL};
  std::string bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto whole = test::decode(role, bytes, {}, limits);
  const std::vector<std::size_t> portions(bytes.size(), 1 + (data[0] >> 1));
  if (test::decode(role, bytes, portions, limits) != whole) std::abort();

  FrameDecoder decoder(role, limits);
  StoppingLog log;
  log.stops = data[2];
  for (std::span<char> left(bytes); !left.empty() && !decoder.error(); log.stopped = 0) {
    const std::size_t used = decoder.feed(left, log);
    if (used != left.size() && log.stopped == 0 && !decoder.error()) std::abort();
    left = left.subspan(used);
  }
  const int code = decoder.error() ? decoder.error()->close_code : 0;
  if (test::Outcome{log.events, code, decoder.idle(), decoder.closed()} != whole) std::abort();
  if (decoder.held_bytes() > (decoder.idle() ? 0 : 2 * size)) std::abort();
  return 0;
}
