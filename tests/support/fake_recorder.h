#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "telemetry/recorder.h"

namespace outpost::testing {

/// A span as it was told; kept by the recorder.
struct FakeSpan {
  std::string name;
  std::string parent;  ///< as `traceparent`; empty: a root
  std::map<std::string, std::string> attributes;
  bool ended = false;
  telemetry::TraceContext context{};
};

/// Keeps all that it is told.
class FakeRecorder final : public telemetry::Recorder {
 public:
  std::unique_ptr<telemetry::Span> start_span(const telemetry::SpanStart& start) override {
    auto span = std::make_shared<FakeSpan>();
    span->name = start.name;
    if (start.parent != nullptr) span->parent = telemetry::format_traceparent(*start.parent);
    span->context = {telemetry::random_trace_id(), telemetry::random_span_id(), true, ""};
    spans.push_back(span);
    return std::make_unique<Handle>(std::move(span));
  }
  void add(telemetry::Counter counter, telemetry::Labels labels, std::int64_t delta) override {
    constexpr std::array names{"connections", "requests", "processes_finished"};
    counts[names[static_cast<std::size_t>(counter)] + text_of(labels)] += delta;
  }
  void add(telemetry::Gauge gauge, telemetry::Labels labels, std::int64_t delta) override {
    constexpr std::array names{"connections_active", "processes_active"};
    counts[names[static_cast<std::size_t>(gauge)] + text_of(labels)] += delta;
  }
  void observe(telemetry::Histogram histogram, telemetry::Labels labels, double seconds) override {
    constexpr std::array names{"request_duration", "request_total_duration", "request_queue_duration",
                               "process_duration"};
    if (seconds >= 0) ++counts[names[static_cast<std::size_t>(histogram)] + text_of(labels)];
  }

  /// The span of that name which was started last.
  FakeSpan span(const std::string& name) const {
    for (auto at = spans.rbegin(); at != spans.rend(); ++at) {
      if ((*at)->name == name) return **at;
    }
    return {};
  }

  std::vector<std::shared_ptr<FakeSpan>> spans;  // shared with the handles that the product holds
  std::map<std::string, std::int64_t> counts;    ///< by `name{label,label}`

 private:
  class Handle final : public telemetry::Span {
   public:
    explicit Handle(std::shared_ptr<FakeSpan> span) : span_(std::move(span)) {}
    void set_name(std::string_view name) override { span_->name = name; }
    void set(std::string_view key, telemetry::Value value) override {
      std::string& text = span_->attributes[std::string(key)];
      if (const auto* number = std::get_if<std::int64_t>(&value)) text = std::to_string(*number);
      if (const auto* given = std::get_if<std::string_view>(&value)) text = *given;
    }
    void event(std::string_view, telemetry::Attributes) override {}
    const telemetry::TraceContext& context() const override { return span_->context; }
    void end() override { span_->ended = true; }

   private:
    std::shared_ptr<FakeSpan> span_;
  };
  static std::string text_of(telemetry::Labels labels) {
    std::string text;
    for (const telemetry::Label& label : labels) text += (text.empty() ? "" : ",") + std::string(label.value);
    return "{" + text + "}";
  }
};

}  // namespace outpost::testing
