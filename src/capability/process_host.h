#pragma once

#include <chrono>
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

using wire::EndedBy;

/// Where a process stands.
struct ProcessState {
  std::uint64_t next_seq = 1;  ///< the number that the next event will get
  std::optional<int> exit_code;
  bool closed = false;
  bool sandbox_denied = false;
  EndedBy ended_by = EndedBy::itself;  ///< what was asked for, though its end may not have come yet
  bool exited() const { return exit_code.has_value(); }
};

/// What else may be asked about a process.
struct ProcessDetails {
  std::int64_t pid = 0;
  std::uint64_t first_seq = 1;  ///< the lowest number of retained output, or the next number if there is none
  std::size_t retained_bytes = 0;
  std::size_t retain_bytes_max = 0;
};

/// What a view of head and tail leaves out (extensions 13).
struct Excerpt {
  std::uint64_t total_bytes = 0;  ///< of all output ever
  std::uint64_t omitted_bytes = 0;
  std::optional<std::uint64_t> omitted_after_seq;  ///< none when nothing is omitted
};

/// Which output stays when there is more than is retained (extensions 4.1, 5.2).
enum class Keep {
  newest,    ///< the newest, whoever has what
  unproved,  ///< what the client may not have; the program waits in its writes instead
  held,      ///< the same, while no client is there: a program that was ended isn't waited for
};

/// What is kept for a client that may not have it.
struct Undelivered {
  std::size_t bytes = 0;
  std::uint64_t sent_offset =
      0;  ///< where the first of it that was sent ended, or the last of all; 0: nothing was sent
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

  virtual ProcessDetails details() const = 0;
  /// The first `head` bytes of all output, at most `limits::output_head_bytes`, and the last `tail` of what is retained
  /// into `chunks`, cut where needed.
  virtual Excerpt excerpt(std::size_t head, std::size_t tail, std::vector<OutputView>& chunks) const = 0;

  /// Receipts (extensions 5). What a client was proved to have stays proved; the rest belongs to one delivery, which is
  /// an attached connection. At first only the newest is kept.
  virtual void set_keep(Keep keep) = 0;
  /// A new connection is attached: what the last one was sent and hasn't proved is as if it hadn't been sent. What is
  /// there now is the backlog, which is not pushed.
  virtual void begin_delivery() = 0;
  /// The frame that carried output `seq` ends at `offset` of its connection's outgoing bytes.
  virtual void note_sent(std::uint64_t seq, std::uint64_t offset) = 0;
  /// The client has what was sent up to that offset of this delivery.
  virtual void prove_sent(std::uint64_t offset) = 0;
  /// The client has everything up to `seq`.
  virtual void prove_through(std::uint64_t seq) = 0;
  /// What wasn't sent of the backlog needn't be kept any more.
  virtual void release_backlog() = 0;
  virtual Undelivered undelivered() const = 0;
  /// Gives up retained output that the client was proved to have, the oldest first, until so many bytes are free; how
  /// many are.
  virtual std::size_t evict_proved(std::size_t bytes) = 0;
  /// What other processes gave up may be room for this one.
  virtual void on_room() = 0;

  /// While `flowing` is false no more output is taken from the program, which then waits in its writes.
  virtual void set_flowing(bool flowing) = 0;

  /// Queues bytes for stdin; `done` is called once, from within or later, when they were taken or can't be.
  virtual void write(WriteRequest request, WriteDone done) = 0;
  /// Drops the writes that still wait to be taken: they aren't answered, and their ids aren't remembered.
  virtual void abandon_writes() = 0;
  /// Closes stdin behind all writes before it; safe to repeat. `stdin_closed` where there never was a pipe.
  virtual wire::WriteStatus close_stdin() = 0;
  /// Signals the leader's process group or the foreground group of the terminal; false where there is nobody.
  virtual bool signal(wire::AnySignal signal, wire::SignalTarget target) = 0;
  virtual bool has_terminal() const = 0;
  /// Only with a terminal; does nothing once that is gone.
  virtual void resize(const wire::TerminalSize& size) = 0;
  /// Ends the process and all it has started, as far as containment reaches (extensions 2): at once, or with a SIGTERM
  /// to its group first and the rest after `grace`, or when its leader ends. A later call may shorten that, never
  /// lengthen it. False if its leader had ended already: then nothing is done.
  virtual bool terminate(std::chrono::milliseconds grace = {}) = 0;
};

struct StartedProcess {
  std::unique_ptr<Process> process;
  wire::SandboxType sandbox_type{};
};
using StartDone = std::move_only_function<void(Result<StartedProcess>)>;

/// Starts processes on one machine. Belongs to a loop; `done` is called on it, once, never from within `start`.
class ProcessHost {
 public:
  /// What ends together, beyond any one process: daemons that one left behind, too.
  using Scope = std::uint64_t;

  virtual ~ProcessHost() = default;
  virtual Scope new_scope() = 0;
  /// What makes the params invalid on this machine, whatever runs: a start of them is refused before its id is looked
  /// up (processes-and-sessions 5.5).
  virtual Result<> check(const wire::StartParams& params) const = 0;
  virtual void start(Scope scope, wire::StartParams params, StartDone done) = 0;
  /// Ends whatever is left of all that was started in the scope, as far as containment reaches. Nothing may be started
  /// in it any more.
  virtual void end_scope(Scope scope) = 0;
};

}  // namespace outpost::capability
