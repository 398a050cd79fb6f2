#include "base/base64_avx2.h"

#include "base/check.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cstdint>

#define OUTPOST_AVX2 __attribute__((target("avx2")))
#define OUTPOST_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace outpost::base64::detail {
namespace {

using Table = std::array<std::int8_t, 16>;

struct Run {
  char first;
  char last;
  int value;  // of `first`
};
constexpr Run runs[] = {{'A', 'Z', 0}, {'a', 'z', 26}, {'0', '9', 52}, {'+', '+', 62}, {'/', '/', 63}};

// Encoding: a saturating subtraction folds the 64 values into 14 classes, and a table says what to add for each.
constexpr int class_upper = 13;  // values 0..25, told from 26..51 by a comparison; the latter are class 0
constexpr Table make_symbol_offsets() {
  Table offsets{};
  offsets[class_upper] = 'A';
  offsets[0] = 'a' - 26;
  for (std::size_t digit = 1; digit <= 10; ++digit) offsets[digit] = '0' - 52;
  offsets[11] = '+' - 62;
  offsets[12] = '/' - 63;
  return offsets;
}

// Decoding: every high nibble has one bit, and the table of low nibbles holds the bits of those high nibbles with which
// it makes no symbol. So a character is bad exactly if the two entries share a bit.
constexpr int never_valid = 0x40;
constexpr int bit_of_high(int high) {
  return high >= 2 && high <= 7 ? 1 << (high - 2) : never_valid;
}

constexpr Table make_high_bits() {
  Table bits{};
  for (int high = 0; high < 16; ++high)
    bits[static_cast<std::size_t>(high)] = static_cast<std::int8_t>(bit_of_high(high));
  return bits;
}

constexpr Table make_low_bits() {
  Table bits{};
  bits.fill(0x7f);
  for (const Run& run : runs) {
    for (int symbol = run.first; symbol <= run.last; ++symbol) {
      auto& entry = bits[static_cast<std::size_t>(symbol & 0xf)];
      entry = static_cast<std::int8_t>(entry & ~bit_of_high(symbol >> 4));
    }
  }
  return bits;
}

// What to add to a symbol, by its high nibble. '+' and '/' share one: '/' uses the entry below, which is free.
constexpr Table make_value_offsets() {
  Table offsets{};
  for (const Run& run : runs) {
    const auto offset = static_cast<std::int8_t>(run.value - run.first);
    for (int symbol = run.first; symbol <= run.last; ++symbol) {
      offsets[static_cast<std::size_t>((symbol >> 4) - (symbol == '/' ? 1 : 0))] = offset;
    }
  }
  return offsets;
}

constexpr Table symbol_offsets = make_symbol_offsets();
constexpr Table high_bits = make_high_bits();
constexpr Table low_bits = make_low_bits();
constexpr Table value_offsets = make_value_offsets();

OUTPOST_AVX2_INLINE __m256i twice(const Table& table) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
}

/// 24 bytes at `in` (28 are read) as 32 values of six bits, one in each byte.
OUTPOST_AVX2_INLINE __m256i split_bytes(const std::byte* in) {
  const __m128i front = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  const __m128i back = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 12));
  // Bytes a b c of a triple become b a c b: both 16-bit halves then hold two whole values.
  const __m256i order = _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10,  //
                                         1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  const __m256i pairs = _mm256_shuffle_epi8(_mm256_set_m128i(back, front), order);
  // Multiplications stand in for shifts by different amounts in neighbouring halves.
  const __m256i even =
      _mm256_mulhi_epu16(_mm256_and_si256(pairs, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
  const __m256i odd =
      _mm256_mullo_epi16(_mm256_and_si256(pairs, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
  return _mm256_or_si256(even, odd);
}

OUTPOST_AVX2_INLINE __m256i symbols_of(__m256i values, __m256i offsets) {
  const __m256i above = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
  const __m256i upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
  const __m256i classes = _mm256_or_si256(above, _mm256_and_si256(upper, _mm256_set1_epi8(class_upper)));
  return _mm256_add_epi8(values, _mm256_shuffle_epi8(offsets, classes));
}

OUTPOST_AVX2_INLINE void encode_block(const std::byte* in, char* out, __m256i offsets) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), symbols_of(split_bytes(in), offsets));
}

struct DecodeTables {
  __m256i high;
  __m256i low;
  __m256i offsets;
};

struct Decoded {
  __m256i values;
  __m256i bad;  // any bit set: a character that is no symbol
};

OUTPOST_AVX2_INLINE Decoded values_of(const char* in, const DecodeTables& tables) {
  const __m256i nibble = _mm256_set1_epi8(0xf);
  const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
  const __m256i high = _mm256_and_si256(_mm256_srli_epi32(text, 4), nibble);
  const __m256i low = _mm256_and_si256(text, nibble);
  const __m256i bad = _mm256_and_si256(_mm256_shuffle_epi8(tables.high, high), _mm256_shuffle_epi8(tables.low, low));
  const __m256i slash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('/'));  // -1 there
  const __m256i offsets = _mm256_shuffle_epi8(tables.offsets, _mm256_add_epi8(high, slash));
  return {.values = _mm256_add_epi8(text, offsets), .bad = bad};
}

/// Writes 32 bytes, of which 24 count.
OUTPOST_AVX2_INLINE void store_joined(__m256i values, std::byte* out) {
  const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
  const __m256i quads = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
  const __m256i order = _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,  //
                                         2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m256i lanes = _mm256_shuffle_epi8(quads, order);
  const __m256i bytes = _mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
}

}  // namespace

bool avx2_available() {
  return __builtin_cpu_supports("avx2") != 0;
}

OUTPOST_AVX2 std::size_t encode_avx2(ByteView in, char* out) {
  const __m256i offsets = twice(symbol_offsets);
  const std::byte* at = in.data();
  std::size_t left = in.size();
  for (; left >= 4 * 24 + 4; left -= 4 * 24, at += 4 * 24, out += 4 * 32) {
    for (std::size_t block = 0; block < 4; ++block) encode_block(at + block * 24, out + block * 32, offsets);
  }
  for (; left >= 24 + 4; left -= 24, at += 24, out += 32) encode_block(at, out, offsets);
  return in.size() - left;
}

OUTPOST_AVX2 std::size_t decode_avx2(std::string_view text, std::byte* out) {
  const DecodeTables tables{.high = twice(high_bits), .low = twice(low_bits), .offsets = twice(value_offsets)};
  // A store writes eight bytes too many, so eleven characters or more must follow; it never reaches characters that
  // weren't read yet, even where `out` is the text's own memory.
  constexpr std::size_t follow = 12;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 4 * 32 + follow; left -= 4 * 32, at += 4 * 32, out += 4 * 24) {
    const Decoded a = values_of(at, tables);
    const Decoded b = values_of(at + 32, tables);
    const Decoded c = values_of(at + 64, tables);
    const Decoded d = values_of(at + 96, tables);
    const __m256i bad = _mm256_or_si256(_mm256_or_si256(a.bad, b.bad), _mm256_or_si256(c.bad, d.bad));
    if (!_mm256_testz_si256(bad, bad)) break;
    store_joined(a.values, out);
    store_joined(b.values, out + 24);
    store_joined(c.values, out + 48);
    store_joined(d.values, out + 72);
  }
  for (; left >= 32 + follow; left -= 32, at += 32, out += 24) {
    const Decoded block = values_of(at, tables);
    if (!_mm256_testz_si256(block.bad, block.bad)) break;
    store_joined(block.values, out);
  }
  return text.size() - left;
}

}  // namespace outpost::base64::detail

#else

namespace outpost::base64::detail {

bool avx2_available() {
  return false;
}

std::size_t encode_avx2(ByteView, char*) {
  OUTPOST_CHECK(false);
  return 0;
}

std::size_t decode_avx2(std::string_view, std::byte*) {
  OUTPOST_CHECK(false);
  return 0;
}

}  // namespace outpost::base64::detail

#endif
