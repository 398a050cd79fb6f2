#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/base64_avx2.h"

namespace outpost::base64 {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t invalid_value = 0x80;
constexpr char pad = '=';

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(invalid_value);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> values_of_symbols = make_values();

std::uint32_t value_of(char symbol) {
  return values_of_symbols[static_cast<unsigned char>(symbol)];
}

char symbol_of(std::uint32_t bits) {
  return alphabet[bits & 0x3f];
}

std::unexpected<Error> fail_symbol(std::string_view text, std::size_t offset, const char* what = "Invalid symbol ") {
  const auto symbol = static_cast<unsigned char>(text[offset]);
  return fail(ErrorKind::invalid_params, what + std::to_string(symbol) + ", offset " + std::to_string(offset) + ".");
}

/// Bytes of the value `bits`, whose lowest byte is the last of three.
void put_bytes(std::uint32_t bits, std::byte* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(bits >> (16 - 8 * i));
}

/// The last quad, whole or not, in its order of checks: `text` ends within four characters of `from`.
Result<std::size_t> decode_last(std::string_view text, std::size_t from, std::byte* out) {
  std::size_t symbols = 0;
  std::size_t pads = 0;
  std::uint32_t bits = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == pad && symbols < 2) return fail_symbol(text, i);
    if (text[i] == pad) {
      ++pads;
      continue;
    }
    if (pads > 0) return fail_symbol(text, from + symbols);  // the first pad is where it went wrong
    const std::uint32_t value = value_of(text[i]);
    if (value == invalid_value) return fail_symbol(text, i);
    bits |= value << (18 - 6 * symbols);
    ++symbols;
  }
  if (symbols == 1) return fail(ErrorKind::invalid_params, "Invalid input length: " + std::to_string(text.size()));
  if (symbols + pads != 4) return fail(ErrorKind::invalid_params, "Invalid padding");
  const std::size_t count = symbols - 1;
  const std::uint32_t left_over = bits & (0xffffffU >> (8 * count));
  if (left_over != 0) return fail_symbol(text, from + symbols - 1, "Invalid last symbol ");
  put_bytes(bits, out, count);
  return count;
}

/// Everything from the quad at `from` on; `out` is where its bytes go.
Result<std::size_t> decode_quads(std::string_view text, std::size_t from, std::byte* out) {
  const std::size_t last = (text.size() - 1) / 4 * 4;
  std::byte* at = out;
  for (std::size_t i = from; i < last; i += 4) {
    const std::uint32_t a = value_of(text[i]);
    const std::uint32_t b = value_of(text[i + 1]);
    const std::uint32_t c = value_of(text[i + 2]);
    const std::uint32_t d = value_of(text[i + 3]);
    if (((a | b | c | d) & invalid_value) != 0) [[unlikely]] {
      while (value_of(text[i]) != invalid_value) ++i;
      return fail_symbol(text, i);
    }
    put_bytes(a << 18 | b << 12 | c << 6 | d, at, 3);
    at += 3;
  }
  const std::size_t count = OUTPOST_TRY(decode_last(text, last, at));
  return static_cast<std::size_t>(at - out) + count;
}

/// A stray last character (a newline, most often) is named before anything in front of it.
bool ends_in_stray_symbol(std::string_view text) {
  return text.size() % 4 == 1 && text.back() != pad && value_of(text.back()) == invalid_value;
}

}  // namespace

namespace detail {

void encode_scalar(ByteView in, char* out) {
  const auto* at = reinterpret_cast<const unsigned char*>(in.data());
  std::size_t left = in.size();
  for (; left >= 3; left -= 3, at += 3, out += 4) {
    const std::uint32_t bits = std::uint32_t{at[0]} << 16 | std::uint32_t{at[1]} << 8 | at[2];
    out[0] = symbol_of(bits >> 18);
    out[1] = symbol_of(bits >> 12);
    out[2] = symbol_of(bits >> 6);
    out[3] = symbol_of(bits);
  }
  if (left == 0) return;
  const std::uint32_t bits = std::uint32_t{at[0]} << 16 | (left == 2 ? std::uint32_t{at[1]} << 8 : 0);
  out[0] = symbol_of(bits >> 18);
  out[1] = symbol_of(bits >> 12);
  out[2] = left == 2 ? symbol_of(bits >> 6) : pad;
  out[3] = pad;
}

Result<std::size_t> decode_scalar(std::string_view text, std::byte* out) {
  if (text.empty()) return 0;
  if (ends_in_stray_symbol(text)) return fail_symbol(text, text.size() - 1);
  return decode_quads(text, 0, out);
}

}  // namespace detail

void encode(ByteView in, char* out) {
  const std::size_t done = detail::avx2_available() ? detail::encode_avx2(in, out) : 0;
  detail::encode_scalar(in.subspan(done), out + encoded_size(done));
}

std::string encode(ByteView in) {
  const std::size_t size = encoded_size(in.size());
  std::string text;
  // The callback's own size argument may be the capacity (libstdc++ 12).
  text.resize_and_overwrite(size, [in, size](char* out, std::size_t) {
    encode(in, out);
    return size;
  });
  return text;
}

Result<std::size_t> decode(std::string_view text, std::byte* out) {
  if (text.empty()) return 0;
  if (ends_in_stray_symbol(text)) return fail_symbol(text, text.size() - 1);
  const std::size_t done = detail::avx2_available() ? detail::decode_avx2(text, out) : 0;
  const std::size_t bytes = done / 4 * 3;
  return bytes + OUTPOST_TRY(decode_quads(text, done, out + bytes));
}

Result<Bytes> decode(std::string_view text) {
  Bytes bytes(decoded_size_max(text.size()));
  bytes.shrink(OUTPOST_TRY(decode(text, bytes.data())));
  return bytes;
}

}  // namespace outpost::base64
