#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string_view>

#include "telemetry/recorder.h"

namespace outpost::server {

/// Records one process that was started, from then to its exit (observability 2, 3): it has a span, is counted as
/// active, and then as finished with its result and duration. Does nothing without a recorder.
class ProcessRecord {
 public:
  /// `parent`: of the span; null: a root.
  ProcessRecord(telemetry::Recorder* recorder, const telemetry::TraceContext* parent) : recorder_(recorder) {
    if (recorder != nullptr && parent != nullptr) parent_ = std::make_unique<telemetry::TraceContext>(*parent);
  }
  ProcessRecord(const ProcessRecord&) = delete;
  ProcessRecord& operator=(const ProcessRecord&) = delete;
  /// A process that is given up before its exit is known counts as finished, too.
  ~ProcessRecord() { finish(terminated_ ? "terminated" : "unknown"); }

  void started(std::string_view process_id) {
    if (recorder_ == nullptr) return;
    active_ = true;
    started_ = std::chrono::steady_clock::now();
    recorder_->add(telemetry::Gauge::processes_active, {}, 1);
    span_ = recorder_->start_span({.name = "codex.exec_server.process", .parent = parent_.get()});
    span_->set("process.id", process_id);
  }
  /// Somebody asked for its end.
  void termination_asked() { terminated_ = true; }
  void exited(int exit_code) { finish(exit_code == 0 ? "success" : terminated_ ? "terminated" : "error"); }

 private:
  void finish(std::string_view result) {
    if (!active_) return;
    active_ = false;
    const std::array labels{telemetry::Label{"result", result}};
    const std::chrono::duration<double> lived = std::chrono::steady_clock::now() - started_;
    recorder_->add(telemetry::Gauge::processes_active, {}, -1);
    recorder_->add(telemetry::Counter::processes_finished, labels, 1);
    recorder_->observe(telemetry::Histogram::process_duration, labels, lived.count());
    span_->set("result", result);
    span_->end();
  }

  telemetry::Recorder* recorder_;
  std::unique_ptr<telemetry::TraceContext> parent_;  // only with a recorder
  std::unique_ptr<telemetry::Span> span_;
  std::chrono::steady_clock::time_point started_{};
  bool active_ = false, terminated_ = false;
};

}  // namespace outpost::server
