#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/limits/clients.h"
#include "base/result.h"
#include "wire/protocol/process.h"

namespace outpost::client {

/// One event of a far process, as it came.
struct ProcessEvent {
  enum class Kind { output, exited, closed };
  Kind kind = Kind::output;
  std::uint64_t seq = 0;
  wire::OutputStream stream{};
  Bytes bytes;
  int exit_code = 0;
};

/// Puts the events of one process into the order of their numbers: servers may send them out of order
/// (processes-and-sessions 6). What waits for an earlier one is bounded by `limits::events_waiting_max` and
/// `limits::event_bytes_waiting_max`, and each event, also one in its turn, by `limits::event_bytes_max`, so that a
/// hostile server can't fill our memory (R67). Pure.
class EventOrder {
 public:
  /// Takes one event. A number seen before is dropped. Fails, for this process alone, when a bound is passed.
  Result<> add(ProcessEvent event);
  /// The next event in order, if it is there.
  std::optional<ProcessEvent> next();
  std::uint64_t next_seq() const { return next_seq_; }

 private:
  std::uint64_t next_seq_ = 1;
  std::size_t bytes_ = 0;
  std::map<std::uint64_t, ProcessEvent> waiting_;
};

}  // namespace outpost::client
