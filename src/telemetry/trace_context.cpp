#include "telemetry/trace_context.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/hex.h"
#include "base/uuid.h"

namespace outpost::telemetry {
namespace {

// The places of `vv-TRACE-SPAN-ff`.
constexpr std::size_t trace_id_at = 3;
constexpr std::size_t span_id_at = 36;
constexpr std::size_t flags_at = 53;
constexpr std::size_t traceparent_chars = 55;

// Fixed by W3C Trace Context, 3.3.1.
constexpr std::size_t tracestate_members_max = 32;
constexpr std::size_t tracestate_value_chars_max = 256;
constexpr std::size_t simple_key_chars_max = 256;
constexpr std::size_t tenant_chars_max = 241;
constexpr std::size_t system_chars_max = 14;
// Fixed by W3C Trace Context, 3.3.1: room for 32 of the longest members with their commas and some blanks.
constexpr std::size_t tracestate_chars_max = tracestate_members_max * 520;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::byte> lower_hex_digit(char c) {
  if (is_digit(c)) return static_cast<std::byte>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::byte>(c - 'a' + 10);
  return std::nullopt;
}

/// Fills `out` from the front of `text`, which has enough characters. False: not all are lower-case hexadecimal.
bool parse_hex(std::string_view text, std::span<std::byte> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto high = lower_hex_digit(text[2 * i]);
    const auto low = lower_hex_digit(text[2 * i + 1]);
    if (!high || !low) return false;
    out[i] = *high << 4 | *low;
  }
  return true;
}

bool is_zero(std::span<const std::byte> id) {
  return std::ranges::all_of(id, [](std::byte byte) { return byte == std::byte{0}; });
}

bool is_key_part(std::string_view part, std::size_t chars_max) {
  return part.size() <= chars_max && std::ranges::all_of(part, [](char c) {
           return is_lower(c) || is_digit(c) || c == '_' || c == '-' || c == '*' || c == '/';
         });
}

bool is_key(std::string_view key) {
  const std::size_t at_sign = key.find('@');
  if (at_sign == std::string_view::npos) {
    return !key.empty() && is_lower(key.front()) && is_key_part(key, simple_key_chars_max);
  }
  const std::string_view tenant = key.substr(0, at_sign);
  const std::string_view system = key.substr(at_sign + 1);
  return !tenant.empty() && (is_lower(tenant.front()) || is_digit(tenant.front())) &&
         is_key_part(tenant, tenant_chars_max) && !system.empty() && is_lower(system.front()) &&
         is_key_part(system, system_chars_max);
}

bool is_value(std::string_view value) {
  return !value.empty() && value.size() <= tracestate_value_chars_max && value.back() != ' ' &&
         std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_among(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

bool is_tracestate(std::string_view text) {
  if (text.size() > tracestate_chars_max) return false;
  std::vector<std::string_view> keys;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view member = without_blanks(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || keys.size() == tracestate_members_max) return false;
    const std::string_view key = member.substr(0, equals);
    if (!is_key(key) || !is_value(member.substr(equals + 1)) || is_among(keys, key)) return false;
    keys.push_back(key);
  }
  return true;
}

/// SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixing function.
class Generator {
 public:
  Generator() { fill_random(std::as_writable_bytes(std::span(&state_, 1))); }

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

template <class Id>
Id random_id() {
  thread_local Generator generator;
  Id id;
  do {
    for (std::size_t i = 0; i < id.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t bits = generator.next();
      std::memcpy(id.data() + i, &bits, sizeof bits);
    }
  } while (is_zero(id));
  return id;
}

}  // namespace

std::optional<TraceContext> parse_trace_context(std::string_view traceparent, std::string_view tracestate) {
  if (traceparent.size() < traceparent_chars) return std::nullopt;
  std::array<std::byte, 1> version;
  std::array<std::byte, 1> flags;
  TraceContext context;
  const bool well_formed = parse_hex(traceparent, version) && parse_hex(traceparent.substr(flags_at), flags) &&
                           parse_hex(traceparent.substr(trace_id_at), context.trace_id) &&
                           parse_hex(traceparent.substr(span_id_at), context.span_id) &&
                           traceparent[trace_id_at - 1] == '-' && traceparent[span_id_at - 1] == '-' &&
                           traceparent[flags_at - 1] == '-';
  if (!well_formed || version[0] == std::byte{0xff} || is_zero(context.trace_id) || is_zero(context.span_id)) {
    return std::nullopt;
  }
  if (traceparent.size() > traceparent_chars && (version[0] == std::byte{0} || traceparent[traceparent_chars] != '-')) {
    return std::nullopt;
  }
  context.sampled = (flags[0] & std::byte{1}) != std::byte{0};
  if (is_tracestate(tracestate)) context.tracestate = tracestate;
  return context;
}

std::string format_traceparent(const TraceContext& context) {
  return "00-" + to_hex(context.trace_id) + "-" + to_hex(context.span_id) + (context.sampled ? "-01" : "-00");
}

TraceId random_trace_id() {
  return random_id<TraceId>();
}

SpanId random_span_id() {
  return random_id<SpanId>();
}

}  // namespace outpost::telemetry
