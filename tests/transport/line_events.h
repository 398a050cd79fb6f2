#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/line_splitter.h"

namespace outpost::transport::test {

/// What a splitter told, in order.
struct LineLog final : LineSink {
  bool on_line(std::string_view line) override {
    events.emplace_back(line);
    return !stop;
  }
  void on_oversize(std::uint64_t bytes) override { events.push_back("too long: " + std::to_string(bytes)); }
  std::vector<std::string> events;
  bool stop = false;
};

struct SplitOutcome {
  std::vector<std::string> events;
  std::string error;
  std::size_t held_bytes = 0;
  bool operator==(const SplitOutcome&) const = default;
};

/// A whole stream in portions, and its end.
inline SplitOutcome split_lines(std::string_view bytes, std::size_t portion, FrameLimits limits = {}) {
  LineSplitter splitter(limits);
  LineLog log;
  while (!bytes.empty() && !splitter.error()) {
    const std::string_view part = bytes.substr(0, std::min(portion, bytes.size()));
    splitter.feed(part, log);
    bytes.remove_prefix(part.size());
  }
  splitter.finish(log);
  return {log.events, std::string(splitter.error().value_or("")), splitter.held_bytes()};
}

}  // namespace outpost::transport::test
