#pragma once

#include <string>

#include "base/bytes.h"

namespace outpost {

/// Two lower-case hexadecimal digits for each byte. Safe from any thread.
inline std::string to_hex(ByteView bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text.push_back(digits[std::to_integer<unsigned>(byte) >> 4]);
    text.push_back(digits[std::to_integer<unsigned>(byte) & 0xf]);
  }
  return text;
}

}  // namespace outpost
