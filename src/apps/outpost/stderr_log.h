#pragma once

#include <memory>

#include "telemetry/log.h"

namespace outpost::apps {

/// The log of a server on a descriptor, its stderr. Lines are written by a thread of their own, since the mode of the
/// descriptor isn't ours to change and whoever reads it may never do: what doesn't fit in
/// `limits::log_bytes_waiting_max` is dropped and counted, and the loops go on.
class StderrLog final : public telemetry::Log {
 public:
  struct Settings {
    telemetry::LogLevel level = telemetry::LogLevel::info;
    telemetry::LogFormat format = telemetry::LogFormat::text;
  };
  StderrLog(int fd, Settings settings);
  StderrLog(const StderrLog&) = delete;
  StderrLog& operator=(const StderrLog&) = delete;
  /// Waits `limits::log_end_wait` at most for what is still to be written.
  ~StderrLog() override;

  bool enabled(telemetry::LogLevel level) const override { return level <= settings_.level; }
  void write(telemetry::LogLevel level, std::string_view event, telemetry::Attributes attributes) override;

 private:
  struct Queue;
  static void write_all(const std::shared_ptr<Queue>& queue, int fd);

  Settings settings_;
  std::shared_ptr<Queue> queue_;  // shared with the thread, which may sit in a write for ever
};

}  // namespace outpost::apps
