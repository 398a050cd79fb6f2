#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/json_document.h"

namespace outpost::wire {

// Strings are UTF-8 by the caller's word; they are escaped as the reference does it: `"`, `\`, \b \f \n \r \t, other
// controls as \u00xx, everything else as it is. Each `write_*` writes exactly as many bytes as its `*_size` says and
// returns the place behind them.

/// Bytes of `text` as a JSON string, quotes included.
std::size_t json_string_size(std::string_view text);
char* write_json_string(char* out, std::string_view text);
void append_json_string(std::string& out, std::string_view text);

std::size_t decimal_size(std::uint64_t number);
char* write_decimal(char* out, std::uint64_t number);
std::size_t decimal_size(std::int64_t number);
char* write_decimal(char* out, std::int64_t number);

/// Copies `text` as it is.
char* write_raw(char* out, std::string_view text);

/// Appends JSON to a string, commas included. Calls must come in an order that makes a JSON value; that is not checked.
class JsonWriter {
 public:
  /// `out` is borrowed and must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void string(std::string_view text);
  /// Bytes as a base64 string (RFC 4648, 4).
  void base64(ByteView bytes);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  template <std::integral T>
  void integer(T value) {
    if constexpr (std::signed_integral<T>) {
      signed_integer(value);
    } else {
      unsigned_integer(value);
    }
  }
  /// A number that is not finite is written as null.
  void real(double value);
  /// A value that is JSON already.
  void raw(std::string_view json);
  /// A parsed value, its members in their order.
  void value(JsonView view);

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void signed_integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace outpost::wire
