// Any portions of a stream give the same lines, and memory follows what came.
#include <cstdint>
#include <cstdlib>

#include "../tests/transport/line_events.h"

using namespace outpost::transport;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const FrameLimits limits{.message_bytes_max = data[0], .discarded_message_bytes_max = data[0] * 2ULL + 2};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = test::split_lines(bytes, bytes.size(), limits);
  const auto bytewise = test::split_lines(bytes, 1, limits);
  if (whole != bytewise || test::split_lines(bytes, 1U + data[1], limits) != bytewise) std::abort();
  for (const std::string& line : bytewise.events) {
    if (line.size() > limits.message_bytes_max && !line.starts_with("too long: ")) std::abort();
  }
  LineSplitter splitter(limits);
  test::LineLog log;
  splitter.feed(bytes, log);
  if (splitter.held_bytes() > 2 * size) std::abort();
  return 0;
}
