#pragma once

#include <string>
#include <string_view>

namespace outpost::wire::detail {

/// A text of the other side as it may stand in an error: at most `limits::quoted_text_bytes_max` bytes of it, cut
/// between characters and marked with `…`.
std::string shortened(std::string_view text);

/// The same in double quotes with its controls, quotes and backslashes escaped (`\n`, `\u{1}`), the way the reference
/// shows a string.
std::string quoted(std::string_view text);

}  // namespace outpost::wire::detail
