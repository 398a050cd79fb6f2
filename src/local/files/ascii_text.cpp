#include "local/files/ascii_text.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/hex.h"

namespace outpost::local {

namespace {

constexpr char first_letter = 'Z';
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t name_digits = 5;  // of the word behind its letter

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

std::optional<unsigned> parse_hex(std::string_view text) {
  unsigned value = 0;
  for (const char c : text) {
    const auto digit = hex_value(c);
    if (!digit) return std::nullopt;
    value = value * 16 + *digit;
  }
  return value;
}

std::string hex_of(unsigned value, std::size_t width) {
  std::string text(width, '0');
  for (std::size_t i = width; i > 0; value /= 16) text[--i] = digits[value % 16];
  return text;
}

/// Numbers that stand behind the letter somewhere: a sixth of the bytes of the text at most.
std::set<unsigned> taken_numbers(std::string_view text) {
  std::set<unsigned> taken;
  for (auto at = text.find(first_letter); at != std::string_view::npos; at = text.find(first_letter, at + 1)) {
    const std::string_view behind = text.substr(at + 1, name_digits);
    const auto number = parse_hex(behind);
    if (behind.size() == name_digits && number) taken.insert(*number);
  }
  return taken;
}

std::string free_word(std::string_view text) {
  const std::set<unsigned> taken = taken_numbers(text);
  unsigned number = 0;
  while (taken.contains(number)) ++number;
  return first_letter + hex_of(number, name_digits);
}

}  // namespace

AsciiText::AsciiText(std::string_view text) {
  if (std::ranges::all_of(text, is_ascii)) {
    text_ = text;
    return;
  }
  word_ = free_word(text);
  for (const char c : text) {
    if (is_ascii(c)) {
      text_ += c;
    } else {
      text_ += word_ + hex_of(static_cast<unsigned char>(c), 2);
    }
  }
}

std::string AsciiText::original(std::string_view part) const {
  std::string out;
  if (word_.empty()) return out.assign(part);
  while (true) {
    const auto at = part.find(word_);
    out += part.substr(0, at);
    if (at == std::string_view::npos) return out;
    part.remove_prefix(at + word_.size());
    const auto byte = parse_hex(part.substr(0, 2));
    if (part.size() < 2 || !byte) {
      out += word_;
      continue;
    }
    out += static_cast<char>(*byte);
    part.remove_prefix(2);
  }
}

}  // namespace outpost::local
