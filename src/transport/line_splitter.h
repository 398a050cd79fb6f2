#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "transport/frame_codec.h"
#include "transport/growing_buffer.h"

namespace outpost::transport {

/// What a splitter found. Views die when the call returns; an implementation must not call the splitter that calls it.
class LineSink {
 public:
  virtual ~LineSink() = default;
  /// A line that isn't blank, without its end; valid UTF-8. Return false to stop after it.
  virtual bool on_line(std::string_view line) = 0;
  /// A line longer than `FrameLimits::message_bytes_max` has ended; its `bytes` were discarded as they came.
  virtual void on_oversize(std::uint64_t bytes) = 0;
};

/// Cuts a stream of bytes into lines, in any portions (processes-and-sessions 13). Pure. A line ends with `\n`, and a
/// `\r` before that belongs to the end; blank lines are skipped. A line that lies whole in the bytes at hand is handled
/// where it is; others are collected in a buffer that is freed at their end.
class LineSplitter {
 public:
  explicit LineSplitter(FrameLimits limits = {}) : limits_(limits) {}

  /// Consumes `data` and calls `sink` for each line. Returns the number of bytes consumed: fewer than there are only if
  /// `on_line` returned false (feed the rest again later) or after an error.
  std::size_t feed(std::string_view data, LineSink& sink);
  /// The stream has ended: what has come of a line is one.
  void finish(LineSink& sink);

  /// Why the stream can't go on, a literal for people; set once: a line isn't UTF-8, or passed
  /// `FrameLimits::discarded_message_bytes_max`.
  std::optional<std::string_view> error() const { return error_; }
  /// Bytes of memory held beside the object itself. Zero between two lines.
  std::size_t held_bytes() const { return line_.capacity(); }

 private:
  void keep(std::string_view part);
  bool end_line(LineSink& sink);
  bool deliver(std::string_view line, LineSink& sink);

  FrameLimits limits_;
  std::optional<std::string_view> error_;
  GrowingBuffer line_;            // what has come of a line that isn't whole yet
  std::uint64_t line_bytes_ = 0;  // of it, those that were discarded included
  bool discarding_ = false;
};

}  // namespace outpost::transport
