#include "base/uuid.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "base/check.h"
#include "base/hex.h"

namespace outpost {
namespace {

constexpr std::size_t uuid_chars = 36;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_dash_place(std::size_t index) {
  return index == 8 || index == 13 || index == 18 || index == 23;
}

}  // namespace

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

bool is_uuid(std::string_view text) {
  if (text.size() != uuid_chars) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i) ? text[i] != '-' : !is_hex_digit(text[i])) return false;
  }
  return true;
}

}  // namespace outpost
