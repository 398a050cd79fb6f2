#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"

/// The vector half of `base64.h`: whole blocks only, the rest is the caller's. On other processors than x86-64 there is
/// none, and `avx2_available` is false.
namespace outpost::base64::detail {

/// Whether this processor has AVX2. A test of one loaded word: cheap enough for every call.
bool avx2_available();

/// Encodes blocks of 24 bytes from the front of `in` and returns how many bytes that were. Only with `avx2_available`.
std::size_t encode_avx2(ByteView in, char* out);

/// Decodes blocks of 32 characters from the front of `text` and returns how many characters that were, a multiple of 32
/// that always leaves the last quad. Stops in front of a block that holds anything but the 64 symbols. Room and
/// overlap as in `decode`. Only with `avx2_available`.
std::size_t decode_avx2(std::string_view text, std::byte* out);

}  // namespace outpost::base64::detail
