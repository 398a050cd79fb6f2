#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "telemetry/recorder.h"

/// What people read on stderr about a server: one line an event (processes-and-sessions 12.0.1).
namespace outpost::telemetry {

enum class LogLevel { error, warn, info, debug, trace };
enum class LogFormat { text, json };

/// `error`, `warn`, `info`, `debug`, `trace`.
std::string_view name_of(LogLevel level);

/// Where events go. From any thread; never blocks. What is given must hold no secret, no subject and no bytes of
/// output; what came over the wire may stand in a value, never in `event` or a key.
class Log {
 public:
  virtual ~Log() = default;
  virtual bool enabled(LogLevel level) const = 0;
  virtual void write(LogLevel level, std::string_view event, Attributes attributes) = 0;
};

/// Writes to `log` if there is one that wants it.
inline void log_event(Log* log, LogLevel level, std::string_view event, std::initializer_list<Attribute> attributes) {
  if (log != nullptr && log->enabled(level)) log->write(level, event, {attributes.begin(), attributes.size()});
}

/// One event as a line with its end. Values that aren't one plain word are quoted as in JSON, so that no value makes a
/// line of its own; what is longer than `limits::log_value_bytes_max` is cut. `time_ms` is since 1970, written in UTC.
std::string format_log_line(LogFormat format, LogLevel level, std::int64_t time_ms, std::string_view event,
                            Attributes attributes);

}  // namespace outpost::telemetry
