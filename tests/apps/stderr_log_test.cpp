#include "apps/outpost/stderr_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/limits/logs.h"
#include "os/run_program.h"

namespace outpost::apps {
namespace {

using telemetry::LogLevel;

TEST(StderrLog, WritesALineAnEventAndAllOfThemBeforeItsEnd) {
  os::Pipe pipe = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
  {
    StderrLog log(pipe.write.get(), {.level = LogLevel::info, .format = telemetry::LogFormat::text});
    EXPECT_TRUE(log.enabled(LogLevel::info));
    EXPECT_FALSE(log.enabled(LogLevel::debug));
    for (int i = 0; i < 100; ++i) telemetry::log_event(&log, LogLevel::warn, "event", {{"number", std::int64_t{i}}});
  }
  pipe.write.reset();
  const std::string text = os::testing::read_all(pipe.read.get());
  EXPECT_EQ(std::ranges::count(text, '\n'), 100);
  EXPECT_TRUE(text.ends_with("number=99\n")) << text;
}

TEST(StderrLog, AReaderThatReadsNothingHoldsUpNobody) {
  for (const os::Blocking mode : {os::Blocking::yes, os::Blocking::no}) {
    os::Pipe pipe = *os::make_pipe(os::Blocking::yes, mode);
    const std::string value(limits::log_value_bytes_max, 'x');
    {
      StderrLog log(pipe.write.get(), {});
      const std::size_t events = 3 * limits::log_bytes_waiting_max / value.size();
      for (std::size_t i = 0; i < events; ++i) telemetry::log_event(&log, LogLevel::warn, "event", {{"value", value}});
    }
    // The thread sits in its write until the reader is gone.
    pipe.read.reset();
    os::testing::wait_readable(-1, 0);
    (void)pipe.write.release();
  }
}

TEST(StderrLog, WhatWasDroppedIsCounted) {
  os::Pipe pipe = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
  const std::string value(limits::log_value_bytes_max, 'x');
  std::string text;
  {
    StderrLog log(pipe.write.get(), {});
    const std::size_t events = 3 * limits::log_bytes_waiting_max / value.size();
    for (std::size_t i = 0; i < events; ++i) telemetry::log_event(&log, LogLevel::warn, "event", {{"value", value}});
    // Once a line has come through there is room again.
    while (!text.contains("dropped")) {
      telemetry::log_event(&log, LogLevel::warn, "short", {});
      std::byte buffer[65536];
      text += as_text({buffer, os::read_some(pipe.read.get(), buffer).bytes});
    }
  }
  EXPECT_TRUE(text.contains("warn: log events were dropped events="));
}

}  // namespace
}  // namespace outpost::apps
