#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

/// Base64 with the standard alphabet and padding (RFC 4648, 4), the only form of bytes on the wire (filesystem.md 1).
/// Uses AVX2 where the processor has it. Everything here is safe from any thread.
namespace outpost::base64 {

/// How many characters `bytes` bytes become, padding included.
constexpr std::size_t encoded_size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// The most bytes that `chars` characters can become, and the room that `decode` needs.
constexpr std::size_t decoded_size_max(std::size_t chars) {
  return (chars + 3) / 4 * 3;
}

/// Writes exactly `encoded_size(in.size())` characters to `out`, which must not overlap `in`.
void encode(ByteView in, char* out);
std::string encode(ByteView in);

/// Writes the bytes of `text` to `out` and returns how many they are. `out` has room for
/// `decoded_size_max(text.size())` bytes, all of which may be written to; it may be the memory of `text` itself
/// (`out == text.data()`), which is then lost, also on failure.
///
/// Strict: no whitespace, no other alphabet, padding as it must be, no bits left over in the last symbol. Anything else
/// is `invalid_params` with the texts that clients know: `Invalid symbol 35, offset 0.`, `Invalid padding`,
/// `Invalid input length: 5`, `Invalid last symbol 66, offset 1.`; symbols and offsets are decimal, offsets from 0.
Result<std::size_t> decode(std::string_view text, std::byte* out);
Result<Bytes> decode(std::string_view text);

/// The path without vector instructions, here so that tests can compare the two.
namespace detail {
void encode_scalar(ByteView in, char* out);
Result<std::size_t> decode_scalar(std::string_view text, std::byte* out);
}  // namespace detail

}  // namespace outpost::base64
