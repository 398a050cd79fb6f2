#include "wire/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/base64.h"

namespace outpost::wire {

namespace {

/// For each byte how many bytes its escape is longer than itself; 0: it needs none.
constexpr auto escape_extra = [] {
  std::array<unsigned char, 256> extra{};
  for (std::size_t c = 0; c < 0x20; ++c) extra[c] = 5;
  for (char c : {'\b', '\t', '\n', '\f', '\r', '"', '\\'}) extra[static_cast<unsigned char>(c)] = 1;
  return extra;
}();

constexpr std::uint64_t every_byte(std::uint64_t byte) {
  return byte * 0x0101010101010101u;
}

/// Bytes of the run at the front of `text` that need no escape, looked at eight at a time.
std::size_t clean_run(const char* text, std::size_t size) {
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text + at, sizeof word);
    const std::uint64_t quote = word ^ every_byte('"');
    const std::uint64_t backslash = word ^ every_byte('\\');
    // The top bit of a byte comes out set where it is below 0x20, or zero; bytes above the first such may lie.
    const std::uint64_t found = ((word - every_byte(0x20)) & ~word) | ((quote - every_byte(1)) & ~quote) |
                                ((backslash - every_byte(1)) & ~backslash);
    if ((found & every_byte(0x80)) != 0) break;
  }
  while (at < size && escape_extra[static_cast<unsigned char>(text[at])] == 0) ++at;
  return at;
}

char* write_escape(char* out, char c) {
  *out++ = '\\';
  switch (c) {
    case '\b':
      *out++ = 'b';
      return out;
    case '\t':
      *out++ = 't';
      return out;
    case '\n':
      *out++ = 'n';
      return out;
    case '\f':
      *out++ = 'f';
      return out;
    case '\r':
      *out++ = 'r';
      return out;
    case '"':
    case '\\':
      *out++ = c;
      return out;
    default:
      break;
  }
  constexpr std::string_view hex = "0123456789abcdef";
  out = write_raw(out, "u00");
  *out++ = hex[static_cast<unsigned char>(c) >> 4];
  *out++ = hex[static_cast<unsigned char>(c) & 0xF];
  return out;
}

constexpr std::size_t decimal_chars_max = 20;  // fixed by the type: of 2^64 - 1, and of -2^63

/// Appends what `write` makes of `size` bytes without clearing them first.
template <class Write>
void append_written(std::string& out, std::size_t size, Write write) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + size, [&](char* data, std::size_t) {
    write(data + before);
    return before + size;  // libstdc++ 12 offers the capacity, not what was asked for
  });
}

}  // namespace

char* write_raw(char* out, std::string_view text) {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

std::size_t json_string_size(std::string_view text) {
  std::size_t size = text.size() + 2;
  for (std::size_t at = clean_run(text.data(), text.size()); at < text.size();) {
    size += escape_extra[static_cast<unsigned char>(text[at])];
    ++at;
    at += clean_run(text.data() + at, text.size() - at);
  }
  return size;
}

char* write_json_string(char* out, std::string_view text) {
  *out++ = '"';
  while (!text.empty()) {
    const std::size_t run = clean_run(text.data(), text.size());
    out = write_raw(out, text.substr(0, run));
    text.remove_prefix(run);
    if (text.empty()) break;
    out = write_escape(out, text.front());
    text.remove_prefix(1);
  }
  *out++ = '"';
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  append_written(out, json_string_size(text), [&](char* data) { write_json_string(data, text); });
}

std::size_t decimal_size(std::uint64_t number) {
  std::size_t size = 1;
  for (; number >= 10000; number /= 10000) size += 4;
  return size + (number >= 10) + (number >= 100) + (number >= 1000);
}

std::size_t decimal_size(std::int64_t number) {
  if (number >= 0) return decimal_size(static_cast<std::uint64_t>(number));
  return 1 + decimal_size(0 - static_cast<std::uint64_t>(number));
}

char* write_decimal(char* out, std::uint64_t number) {
  return std::to_chars(out, out + decimal_chars_max, number).ptr;
}
char* write_decimal(char* out, std::int64_t number) {
  return std::to_chars(out, out + decimal_chars_max, number).ptr;
}

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  needs_comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::base64(ByteView bytes) {
  separate();
  out_ += '"';
  append_written(out_, base64::encoded_size(bytes.size()), [&](char* data) { base64::encode(bytes, data); });
  out_ += '"';
}

void JsonWriter::real(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  char text[32];
  out_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::signed_integer(std::int64_t value) {
  char text[decimal_chars_max];
  raw({text, write_decimal(text, value)});
}

void JsonWriter::unsigned_integer(std::uint64_t value) {
  char text[decimal_chars_max];
  raw({text, write_decimal(text, value)});
}

void JsonWriter::value(JsonView view) {
  switch (view.type()) {
    case JsonType::null:
      return null();
    case JsonType::boolean:
      return boolean(*view.as_bool());
    case JsonType::string:
      return string(view.as_string());
    case JsonType::number:
      if (const auto whole = view.as_int64()) return integer(*whole);
      if (const auto natural = view.as_uint64()) return integer(*natural);
      return real(*view.as_double());
    case JsonType::array:
      begin_array();
      for (JsonView element : view.elements()) value(element);
      return end_array();
    case JsonType::object:
      begin_object();
      for (const auto& [name, member] : view.members()) {
        key(name);
        value(member);
      }
      return end_object();
  }
}

}  // namespace outpost::wire
