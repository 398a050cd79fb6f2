#include "wire/quoted_text.h"

#include <cstddef>

#include "base/limits/messages.h"

namespace outpost::wire::detail {

std::string shortened(std::string_view text) {
  if (text.size() <= limits::quoted_text_bytes_max) return std::string(text);
  std::size_t size = limits::quoted_text_bytes_max;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size)) + "…";
}

std::string quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : shortened(text)) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\0') {
      out += "\\0";
    } else if (code < 0x20 || code == 0x7F) {
      out += "\\u{";
      if (code >= 0x10) out += hex[code >> 4];
      out += hex[code & 0xF];
      out += '}';
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace outpost::wire::detail
