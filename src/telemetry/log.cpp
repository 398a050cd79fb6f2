#include "telemetry/log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "base/ascii.h"
#include "base/limits/logs.h"
#include "base/utf8.h"
#include "wire/json_writer.h"

namespace outpost::telemetry {

namespace {

/// RFC 3339, in UTC, with milliseconds.
std::string time_text(std::int64_t time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text;
  const int size =
      std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int(date.year()),
                    unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                    int(clock.minutes().count()), int(clock.seconds().count()), int(clock.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string shortened(std::string_view text) {
  std::string valid = to_utf8_lossy(as_bytes(text.substr(0, limits::log_value_bytes_max)));
  valid.resize(utf8_prefix(valid, limits::log_value_bytes_max).size());
  return valid;
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return ascii::is_letter(c) || ascii::is_digit(c) || std::string_view("-._:/[]%@+").contains(c);
  });
}

void write_json(wire::JsonWriter& writer, const Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return writer.string(shortened(*text));
  if (const auto* number = std::get_if<std::int64_t>(&value)) return writer.integer(*number);
  writer.boolean(std::get<bool>(value));
}

std::string value_text(const Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text != nullptr && is_plain_word(*text) && text->size() <= limits::log_value_bytes_max) return std::string(*text);
  std::string json;
  wire::JsonWriter writer(json);
  write_json(writer, value);
  return json;
}

}  // namespace

std::string_view name_of(LogLevel level) {
  constexpr std::array<std::string_view, 5> names{"error", "warn", "info", "debug", "trace"};
  return names[static_cast<std::size_t>(level)];
}

std::string format_log_line(LogFormat format, LogLevel level, std::int64_t time_ms, std::string_view event,
                            Attributes attributes) {
  std::string line;
  if (format == LogFormat::text) {
    line.append(time_text(time_ms)).append(" ").append(name_of(level)).append(": ").append(event);
    for (const Attribute& attribute : attributes) {
      line.append(" ").append(attribute.key).append("=").append(value_text(attribute.value));
    }
    return line.append("\n");
  }
  wire::JsonWriter writer(line);
  writer.begin_object();
  for (const auto& [key, text] : {std::pair<std::string_view, std::string>{"time", time_text(time_ms)},
                                  {"level", std::string(name_of(level))},
                                  {"event", std::string(event)}}) {
    writer.key(key);
    writer.string(text);
  }
  for (const Attribute& attribute : attributes) {
    writer.key(attribute.key);
    write_json(writer, attribute.value);
  }
  writer.end_object();
  return line.append("\n");
}

}  // namespace outpost::telemetry
