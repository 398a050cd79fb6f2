#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace outpost {
namespace {

using Byte = unsigned char;

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// What stands at one place of a text: a whole character, or the maximal part of one that is broken off there.
struct Sequence {
  std::size_t size = 1;
  bool whole = false;
};

/// What may follow a lead byte: how many bytes, and the range of the first of them. The others are 80..BF.
struct Lead {
  std::size_t following = 0;
  Byte second_min = 0x80;
  Byte second_max = 0xBF;
};

constexpr Lead lead_of(Byte byte) {
  if (byte < 0xC2 || byte > 0xF4) return {};  // a stray continuation, an overlong form, or above U+10FFFF
  if (byte < 0xE0) return {.following = 1};
  if (byte == 0xE0) return {.following = 2, .second_min = 0xA0};  // below: overlong
  if (byte == 0xED) return {.following = 2, .second_max = 0x9F};  // above: surrogates
  if (byte < 0xF0) return {.following = 2};
  if (byte == 0xF0) return {.following = 3, .second_min = 0x90};  // below: overlong
  if (byte == 0xF4) return {.following = 3, .second_max = 0x8F};  // above: beyond U+10FFFF
  return {.following = 3};
}

/// The sequence at `at`, which is not ASCII and not `end`.
Sequence sequence_at(const Byte* at, const Byte* end) {
  const Lead lead = lead_of(*at);
  if (lead.following == 0) return {};
  const auto available = static_cast<std::size_t>(end - at);
  if (available < 2 || at[1] < lead.second_min || at[1] > lead.second_max) return {};
  for (std::size_t i = 2; i <= lead.following; ++i) {
    if (i == available || (at[i] & 0xC0) != 0x80) return {.size = i, .whole = false};
  }
  return {.size = lead.following + 1, .whole = true};
}

/// The first byte from `at` on that is not ASCII, or `end`.
const Byte* skip_ascii(const Byte* at, const Byte* end) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  while (end - at >= 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & high_bits) != 0) break;
    at += sizeof words;
  }
  while (end - at >= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    if ((word & high_bits) != 0) break;
    at += sizeof word;
  }
  while (at != end && *at < 0x80) ++at;
  return at;
}

/// The first place from `at` on where no whole character stands, or `end`.
const Byte* skip_valid(const Byte* at, const Byte* end) {
  while (true) {
    at = skip_ascii(at, end);
    for (; at != end && *at >= 0x80;) {
      const Sequence sequence = sequence_at(at, end);
      if (!sequence.whole) return at;
      at += sequence.size;
    }
    if (at == end) return end;
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  const auto* begin = reinterpret_cast<const Byte*>(text.data());
  const auto* end = begin + text.size();
  return skip_valid(begin, end) == end;
}

std::string to_utf8_lossy(ByteView bytes) {
  const auto* at = reinterpret_cast<const Byte*>(bytes.data());
  const auto* end = at + bytes.size();
  std::string text;
  text.reserve(bytes.size());
  while (true) {
    const Byte* const broken = skip_valid(at, end);
    text.append(reinterpret_cast<const char*>(at), static_cast<std::size_t>(broken - at));
    if (broken == end) return text;
    text += replacement_character;
    at = broken + sequence_at(broken, end).size;
  }
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  while (bytes_max > 0 && continues(bytes_max)) --bytes_max;
  return text.substr(0, bytes_max);
}

}  // namespace outpost
