#include "base/uuid.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "base/check.h"
#include "base/hex.h"

namespace outpost {

void fill_random(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t filled = ::getrandom(out.data(), out.size(), 0);
    OUTPOST_CHECK(filled > 0 || errno == EINTR);
    if (filled > 0) out = out.subspan(static_cast<std::size_t>(filled));
  }
}

std::string random_uuid_v4() {
  std::array<std::byte, 16> bytes;
  fill_random(bytes);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  std::string text = to_hex(bytes);
  for (const std::size_t place : {8UZ, 13UZ, 18UZ, 23UZ}) text.insert(place, 1, '-');
  return text;
}

}  // namespace outpost
