#pragma once

#include <chrono>
#include <cstddef>

namespace outpost::local {

/// Decides how long to let output gather before a pipe is read again.
///
/// A program that writes line by line without a pause would wake the reader for every line, and each wake-up costs a
/// message. After a streak of small reads in quick succession the reader therefore waits a moment between reads; a
/// pause in the output, or reads that are large anyway, end that. A terminal user or a request-answer program never
/// meets it.
class GatherPolicy {
 public:
  using Duration = std::chrono::steady_clock::duration;
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr Duration gap_of_a_stream = std::chrono::microseconds(150);  // further apart is no stream
  static constexpr Duration delay = std::chrono::microseconds(400);  // far below what a person or a poll notices
  static constexpr Duration pause_that_ends_it = std::chrono::milliseconds(5);  // timers may be late by a few
  static constexpr int streak_length = 24;
  static constexpr std::size_t small_part_of_pipe = 16;
  static constexpr std::size_t large_part_of_pipe = 2;  // half a pipe: the writer would soon have to wait

  /// The program was told something: what it writes next may be the answer, which must not wait.
  void input_given() {
    streak_ = 0;
    gathering_ = false;
  }

  /// A wake-up at `now` read `bytes` until the pipe, which holds `pipe_bytes`, was empty; returns how long to wait
  /// before the next.
  Duration after_read(TimePoint now, std::size_t bytes, std::size_t pipe_bytes) {
    const bool quick = now - last_ < (gathering_ ? pause_that_ends_it : gap_of_a_stream);
    last_ = now;
    if (gathering_) {
      gathering_ = quick && bytes > 0 && bytes < pipe_bytes / large_part_of_pipe;
    } else {
      streak_ = quick && bytes < pipe_bytes / small_part_of_pipe ? streak_ + 1 : 0;
      gathering_ = streak_ >= streak_length;
    }
    if (!gathering_) return Duration::zero();
    streak_ = 0;
    return delay;
  }

 private:
  TimePoint last_{};
  int streak_ = 0;
  bool gathering_ = false;
};

}  // namespace outpost::local
