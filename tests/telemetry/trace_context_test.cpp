#include "telemetry/trace_context.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "base/hex.h"

namespace outpost::telemetry {
namespace {

constexpr std::string_view sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string with(std::string_view text, std::size_t place, std::string_view replacement) {
  return std::string(text).replace(place, replacement.size(), replacement);
}

std::string tracestate_of(std::string_view tracestate) {
  const auto context = parse_trace_context(sampled, tracestate);
  return context ? context->tracestate : "no context";
}

TEST(TraceContext, ReadsIdsAndFlag) {
  const auto context = parse_trace_context(sampled, "vendor=value");
  ASSERT_TRUE(context);
  EXPECT_EQ(to_hex(context->trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(to_hex(context->span_id), "00f067aa0ba902b7");
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(context->tracestate, "vendor=value");
}

TEST(TraceContext, FormatsWhatItRead) {
  EXPECT_EQ(format_traceparent(*parse_trace_context(sampled, "")), sampled);
  const std::string unsampled = with(sampled, 53, "00");
  EXPECT_EQ(format_traceparent(*parse_trace_context(unsampled, "")), unsampled);
}

TEST(TraceContext, OnlyTheLowestFlagCounts) {
  EXPECT_TRUE(parse_trace_context(with(sampled, 53, "ff"), "")->sampled);
  EXPECT_FALSE(parse_trace_context(with(sampled, 53, "fe"), "")->sampled);
  EXPECT_EQ(format_traceparent(*parse_trace_context(with(sampled, 53, "ff"), "")), sampled);
}

TEST(TraceContext, LaterVersionsReadAsTheFirst) {
  for (const std::string_view version : {"01", "cc", "fe"}) {
    const auto context = parse_trace_context(with(sampled, 0, version), "");
    ASSERT_TRUE(context) << version;
    EXPECT_EQ(format_traceparent(*context), sampled);
  }
  EXPECT_TRUE(parse_trace_context(with(sampled, 0, "01") + "-more", ""));
  EXPECT_TRUE(parse_trace_context(with(sampled, 0, "01") + "-", ""));
  EXPECT_FALSE(parse_trace_context(with(sampled, 0, "01") + "more", ""));
}

TEST(TraceContext, RefusesVersionFfAndTailsOfTheFirst) {
  EXPECT_FALSE(parse_trace_context(with(sampled, 0, "ff"), ""));
  EXPECT_FALSE(parse_trace_context(std::string(sampled) + "-more", ""));
  EXPECT_FALSE(parse_trace_context(std::string(sampled) + " ", ""));
}

TEST(TraceContext, RefusesIdsOfZeros) {
  EXPECT_FALSE(parse_trace_context(with(sampled, 3, std::string(32, '0')), ""));
  EXPECT_FALSE(parse_trace_context(with(sampled, 36, std::string(16, '0')), ""));
}

TEST(TraceContext, RefusesAWrongCharacterAtEveryPlace) {
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    for (const std::string_view bad : {"A", "g", "-", "0", " "}) {
      const bool is_dash = sampled[i] == '-';
      if ((is_dash && bad == "-") || (!is_dash && bad == "0")) continue;
      EXPECT_FALSE(parse_trace_context(with(sampled, i, bad), "")) << i << bad;
    }
  }
}

TEST(TraceContext, RefusesEveryPrefix) {
  for (std::size_t size = 0; size < sampled.size(); ++size) {
    EXPECT_FALSE(parse_trace_context(sampled.substr(0, size), "")) << size;
  }
}

TEST(TraceContext, KeepsATracestateAsItCame) {
  for (const std::string_view good : {"", "a=1", "a=1,b=2", "a=1 ,\tb=2", "a=1,,b=2,", "t0_-*/@sys=x", "0t@s=x", "a= x",
                                      "a=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~"}) {
    EXPECT_EQ(tracestate_of(good), good);
  }
}

TEST(TraceContext, DropsABadTracestateAlone) {
  for (const std::string_view bad : {"a", "a=", "=1", "A=1", "1=1", "a=1,a=2", "a=b=c", "a b=1", "a=\x7f", "a=\xC3\xA9",
                                     "a=1\r\nx: y", "@s=1", "t@=1", "t@1=1", "t@s@u=1", "a=1,b"}) {
    EXPECT_EQ(tracestate_of(bad), "") << bad;
  }
}

std::string members(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "k" : ",k") + std::to_string(i) + "=v";
  return text;
}

TEST(TraceContext, TracestateBoundsHoldToTheLast) {
  EXPECT_EQ(tracestate_of(members(32)), members(32));
  EXPECT_EQ(tracestate_of(members(33)), "");
  const auto judged = [](std::size_t tenant, std::size_t system, std::size_t value) {
    const std::string key = std::string(tenant, 'k') + (system > 0 ? "@" + std::string(system, 's') : "");
    return !tracestate_of(key + "=" + std::string(value, 'v')).empty();
  };
  EXPECT_TRUE(judged(256, 0, 256));
  EXPECT_FALSE(judged(257, 0, 1));
  EXPECT_FALSE(judged(1, 0, 257));
  EXPECT_TRUE(judged(241, 14, 1));
  EXPECT_FALSE(judged(242, 14, 1));
  EXPECT_FALSE(judged(241, 15, 1));
  EXPECT_EQ(tracestate_of("a=1" + std::string(32 * 520 - 3, ',')).size(), 32U * 520);
  EXPECT_EQ(tracestate_of("a=1" + std::string(32 * 520 - 2, ',')), "");
}

TEST(RandomTraceIds, DifferInAndBetweenThreads) {
  std::set<std::string> seen;
  const auto draw = [&seen] {
    for (int i = 0; i < 500; ++i) {
      seen.insert(to_hex(random_trace_id()));
      seen.insert(to_hex(random_span_id()));
    }
  };
  draw();
  std::thread(draw).join();
  EXPECT_EQ(seen.size(), 2000U);
  EXPECT_FALSE(seen.contains(std::string(32, '0')));
  EXPECT_FALSE(seen.contains(std::string(16, '0')));
}

}  // namespace
}  // namespace outpost::telemetry
