#include "telemetry/log.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/limits/logs.h"

namespace outpost::telemetry {
namespace {

constexpr std::int64_t time_ms = 1'764'555'045'006;  // 2025-12-01T02:10:45.006Z

std::string text(std::string_view value) {
  const Attribute attribute{"key", value};
  const std::string line = format_log_line(LogFormat::text, LogLevel::warn, time_ms, "it happened", {&attribute, 1});
  const std::string begin = "2025-12-01T02:10:45.006Z warn: it happened key=";
  EXPECT_TRUE(line.starts_with(begin) && line.ends_with("\n")) << line;
  return line.substr(begin.size(), line.size() - begin.size() - 1);
}

TEST(Log, ALineHoldsTheEventAndItsAttributes) {
  const std::vector<Attribute> attributes{{"peer", "127.0.0.1:80"}, {"status", std::int64_t{401}}, {"again", true}};
  EXPECT_EQ(format_log_line(LogFormat::text, LogLevel::info, time_ms, "it happened", attributes),
            "2025-12-01T02:10:45.006Z info: it happened peer=127.0.0.1:80 status=401 again=true\n");
  EXPECT_EQ(format_log_line(LogFormat::json, LogLevel::error, time_ms, "it happened", attributes),
            R"({"time":"2025-12-01T02:10:45.006Z","level":"error","event":"it happened","peer":"127.0.0.1:80",)"
            "\"status\":401,\"again\":true}\n");
  EXPECT_EQ(format_log_line(LogFormat::text, LogLevel::debug, 0, "e", {}), "1970-01-01T00:00:00.000Z debug: e\n");
}

TEST(Log, NoValueMakesALineOfItsOwn) {
  EXPECT_EQ(text("word"), "word");
  EXPECT_EQ(text(""), R"("")");
  EXPECT_EQ(text("two words"), R"("two words")");
  EXPECT_EQ(text("a\n2026 info: forged\r\x1b[0m"), R"("a\n2026 info: forged\r\u001b[0m")");
  EXPECT_EQ(text("a=b"), R"("a=b")");
  EXPECT_EQ(text("\xff"), "\"\xef\xbf\xbd\"");
  const Attribute attribute{"key", "a\nb\"c"};
  EXPECT_EQ(format_log_line(LogFormat::json, LogLevel::info, 0, "e", {&attribute, 1}),
            R"({"time":"1970-01-01T00:00:00.000Z","level":"info","event":"e","key":"a\nb\"c"})"
            "\n");
}

TEST(Log, ALongValueIsCutAtTheEndOfACharacter) {
  EXPECT_EQ(text(std::string(limits::log_value_bytes_max, 'x')), std::string(limits::log_value_bytes_max, 'x'));
  EXPECT_EQ(text(std::string(limits::log_value_bytes_max + 1, 'x')).size(), limits::log_value_bytes_max + 2);
  const std::string cut = text(std::string(limits::log_value_bytes_max - 1, 'x') + "\xc3\xa4");
  EXPECT_LE(cut.size(), limits::log_value_bytes_max + 2);
}

struct Kept final : Log {
  bool enabled(LogLevel level) const override { return level <= LogLevel::warn; }
  void write(LogLevel, std::string_view event, Attributes attributes) override {
    events.push_back(std::string(event) + " " + std::to_string(attributes.size()));
  }
  std::vector<std::string> events;
};

TEST(Log, OnlyWhatIsWantedIsWritten) {
  Kept log;
  log_event(&log, LogLevel::warn, "warned", {{"a", true}});
  log_event(&log, LogLevel::info, "informed", {});
  log_event(nullptr, LogLevel::error, "nobody hears", {});
  EXPECT_EQ(log.events, std::vector<std::string>{"warned 1"});
}

}  // namespace
}  // namespace outpost::telemetry
