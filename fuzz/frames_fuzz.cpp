// Any bytes, in any portions, give the same messages and the same error as in one piece, and memory follows what came.
#include <cstdint>
#include <cstdlib>

#include "../tests/transport/frame_events.h"

using namespace outpost::transport;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Role role = (data[0] & 1) != 0 ? Role::server : Role::client;
  const std::size_t portion_bytes = 1 + (data[0] >> 1);
  const FrameLimits limits{.message_bytes_max = data[1] * 8ULL, .discarded_message_bytes_max = data[1] * 16ULL};
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  const auto whole = test::decode(role, bytes, {}, limits);
  const std::vector<std::size_t> portions(bytes.size() / portion_bytes, portion_bytes);
  if (test::decode(role, bytes, portions, limits) != whole) std::abort();

  FrameDecoder decoder(role, limits);
  test::EventLog log;
  std::string copy = bytes;
  const std::size_t used = decoder.feed(copy, log);
  if (used != copy.size() && !decoder.error()) std::abort();
  if (decoder.held_bytes() > 2 * bytes.size()) std::abort();
  if (decoder.idle() && decoder.held_bytes() != 0) std::abort();
  return 0;
}
