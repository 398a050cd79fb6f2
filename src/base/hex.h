#pragma once

#include <optional>
#include <string>

#include "base/ascii.h"
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

/// What a hexadecimal digit of either case stands for. Safe from any thread.
constexpr std::optional<unsigned> hex_value(char c) {
  if (ascii::is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = ascii::to_lower(c);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

}  // namespace outpost
