#include "base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace outpost {
namespace {

std::string encoded(std::uint32_t code, std::size_t size) {
  constexpr std::uint32_t marks[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
  std::string text(size, '\0');
  for (std::size_t i = size; i-- > 1;) {
    text[i] = static_cast<char>(0x80 | (code & 0x3F));
    code >>= 6;
  }
  text[0] = static_cast<char>(marks[size] | code);
  return text;
}

std::size_t shortest_size(std::uint32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

TEST(Utf8, TakesEveryCharacterAndNoSurrogate) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; ++code) {
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    ASSERT_EQ(is_utf8(encoded(code, shortest_size(code))), !surrogate) << code;
  }
  for (std::uint32_t code = 0x110000; code <= 0x1FFFFF; code += 0x101) ASSERT_FALSE(is_utf8(encoded(code, 4))) << code;
}

TEST(Utf8, RefusesOverlongForms) {
  for (std::size_t size = 2; size <= 4; ++size) {
    const std::uint32_t first_that_needs_it = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
    for (std::uint32_t code = 0; code < first_that_needs_it; ++code) {
      ASSERT_FALSE(is_utf8(encoded(code, size))) << code << " in " << size;
    }
  }
}

TEST(Utf8, FindsABadByteAtEveryPlace) {
  for (std::size_t size = 1; size <= 100; ++size) {
    ASSERT_TRUE(is_utf8(std::string(size, 'a')));
    for (std::size_t place = 0; place < size; ++place) {
      std::string text(size, 'a');
      text[place] = '\x80';
      ASSERT_FALSE(is_utf8(text)) << place << " of " << size;
    }
  }
}

TEST(Utf8, JudgesEveryCutOfAText) {
  const std::string text = std::string(40, 'x') + "é漢😀" + std::string(33, 'y') + "\U0010FFFF";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const bool inside = cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80;
    EXPECT_EQ(is_utf8(std::string_view(text).substr(0, cut)), !inside) << cut;
    EXPECT_EQ(is_utf8(std::string_view(text).substr(cut)), !inside) << cut;
  }
}

TEST(Utf8, LossyKeepsWhatIsValid) {
  const std::string text = std::string(50, 'x') + "é漢😀" + std::string("\0z", 2);
  EXPECT_EQ(to_utf8_lossy(as_bytes(text)), text);
  EXPECT_EQ(to_utf8_lossy({}), "");
}

struct Replacement {
  std::string_view bytes;
  std::string_view text;
};
// One mark for each maximal subpart; the first four rows are the example of Unicode 15, table 3-8 and those next to it.
constexpr Replacement replacements[] = {
    {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\u0041"},
    {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\u0041"},
    {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\u0041\uFFFD\uFFFD\u0042"},
    {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\u0041"},
    {"a\xF0\x9F\x98", "a\uFFFD"},
    {"a\xC3", "a\uFFFD"},
    {"\xE6\xBC\xC3\xA9", "\uFFFD\u00E9"},
    {"\xFF", "\uFFFD"},
};

TEST(Utf8, LossyReplacesEachMaximalSubpartOnce) {
  for (const Replacement& replacement : replacements) {
    EXPECT_EQ(to_utf8_lossy(as_bytes(replacement.bytes)), replacement.text);
  }
}

TEST(Utf8, LossyOfAllPairsOfBytesIsValidAndEqualWhereTheyAre) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      const std::string lossy = to_utf8_lossy(as_bytes(pair));
      ASSERT_TRUE(is_utf8(lossy)) << first << " " << second;
      ASSERT_EQ(lossy == pair, is_utf8(pair)) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace outpost
