#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace outpost {

/// Whether `text` is UTF-8 in the strict sense of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
/// NUL is a character like others. Runs of ASCII are skipped 32 bytes at a time. Safe from any thread.
bool is_utf8(std::string_view text);

/// The longest beginning of `text`, which is UTF-8, that has at most `bytes_max` bytes and cuts no character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

/// `bytes` as UTF-8: what isn't becomes U+FFFD, one for each maximal part of a sequence that is broken off (Unicode
/// 15, 3.9, "U+FFFD substitution of maximal subparts"; what clients know from Rust's `from_utf8_lossy`). The result has
/// at most three times the size. Safe from any thread.
std::string to_utf8_lossy(ByteView bytes);

}  // namespace outpost
