#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "wire/process_events.h"
#include "wire/protocol/process.h"

namespace outpost::capability {

using wire::OutputStream;

/// One piece of output; its bytes hold until the caller returns to the loop of the process.
using OutputView = wire::ReadChunk;

/// One entry of the sequence of a process: output, exit or close, numbered from 1 without a gap
/// (processes-and-sessions 6).
struct EventView {
  enum class Kind { output, exited, closed };
  Kind kind = Kind::output;
  std::uint64_t seq = 0;
  OutputStream stream{};        ///< output
  ByteView bytes{};             ///< output; holds as in `OutputView`
  int exit_code = 0;            ///< exited
  bool sandbox_denied = false;  ///< exited
};

/// Where a process stands.
struct ProcessState {
  std::uint64_t next_seq = 1;  ///< the number that the next event will get
  std::optional<int> exit_code;
  bool closed = false;
  bool sandbox_denied = false;
  bool exited() const { return exit_code.has_value(); }
};

struct WriteRequest {
  Bytes bytes;
  std::string write_id;  ///< a repeated id is accepted and its bytes are ignored
};
using WriteDone = std::move_only_function<void(Result<wire::WriteStatus>)>;

/// Told on the loop of the process that its sequence grew.
class ProcessObserver {
 public:
  virtual ~ProcessObserver() = default;
  virtual void on_news() = 0;
};

/// A process that was started. Belongs to the loop of its host. Destroying it ends what still runs of it, as
/// `terminate` does, and forgets its output.
class Process {
 public:
  virtual ~Process() = default;

  /// At most one observer, not owned; null for none.
  virtual void observe(ProcessObserver* observer) = 0;
  virtual ProcessState state() const = 0;
  /// The first event behind `after_seq` that is still retained.
  virtual std::optional<EventView> next_event(std::uint64_t after_seq) const = 0;
  /// The retained output behind `after_seq` into `chunks`: all of it, or as much as fits `bytes_max`, the first chunk
  /// always. Returns `nextSeq` as process/read gives it (processes-and-sessions 7).
  virtual std::uint64_t read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                             std::vector<OutputView>& chunks) const = 0;

  /// The frame that carried event `seq` ends at `offset` of its connection's outgoing bytes: what receipts are matched
  /// by (extensions 5).
  virtual void note_sent(std::uint64_t seq, std::uint64_t offset) = 0;

  /// While `flowing` is false no more output is taken from the program, which then waits in its writes.
  virtual void set_flowing(bool flowing) = 0;

  /// Queues bytes for stdin; `done` is called once, from within or later, when they were taken or can't be.
  virtual void write(WriteRequest request, WriteDone done) = 0;
  /// Drops the writes that still wait to be taken: they aren't answered, and their ids aren't remembered.
  virtual void abandon_writes() = 0;
  /// Closes stdin behind all writes before it; safe to repeat. `stdin_closed` where there never was a pipe.
  virtual wire::WriteStatus close_stdin() = 0;
  /// SIGINT to the process group; nothing where there is nobody.
  virtual void interrupt() = 0;
  /// Kills the process at once. False if its leader had ended already: then nothing is done.
  virtual bool terminate() = 0;
};

struct StartedProcess {
  std::unique_ptr<Process> process;
  wire::SandboxType sandbox_type{};
};
using StartDone = std::move_only_function<void(Result<StartedProcess>)>;

/// Starts processes on one machine. Belongs to a loop; `done` is called on it, once, never from within `start`.
class ProcessHost {
 public:
  virtual ~ProcessHost() = default;
  /// What makes the params invalid on this machine, whatever runs: a start of them is refused before its id is looked
  /// up (processes-and-sessions 5.5).
  virtual Result<> check(const wire::StartParams& params) const = 0;
  virtual void start(wire::StartParams params, StartDone done) = 0;
};

}  // namespace outpost::capability
