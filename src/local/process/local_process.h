#pragma once

#include <memory>
#include <optional>

#include "base/limits/processes.h"
#include "base/loop.h"
#include "base/watch.h"
#include "capability/process_host.h"
#include "local/process/containment.h"
#include "local/process/output_log.h"
#include "local/process/output_reader.h"
#include "local/process/reaper.h"
#include "local/process/stdin_writer.h"
#include "os/spawn_thread.h"

namespace outpost::local {

/// What the processes of one loop share. All of it must outlive them.
struct ProcessResources {
  Loop& loop;
  os::SpawnThread& spawn_thread;
  Containment& containment;
  Reaper& reaper;        ///< takes the leader over if a process is destroyed before its end
  MutableBytes scratch;  ///< what output is read into
};

/// A process of this machine, started and watched over pipes or a terminal: its output goes into its log, its exit is
/// told when its leader ends, its close when the last holder of its streams lets go (processes-and-sessions 6, 9).
class LocalProcess final : public capability::Process {
 public:
  struct Streams {
    os::FileDescriptor stdin_write;  ///< none: its stdin is empty
    os::FileDescriptor stdout_read, stderr_read;
    /// Instead of all of these: the master of a terminal, once to read and once to write.
    os::FileDescriptor terminal_read, terminal_write;
  };
  struct Options {
    std::size_t retain_bytes = limits::retained_output_bytes;
    capability::RetainedBudget* retained = nullptr;  ///< see `OutputLog`
    std::optional<std::chrono::milliseconds> timeout;
    std::chrono::milliseconds timeout_grace = limits::timeout_grace;
  };

  LocalProcess(const ProcessResources& resources, os::SpawnedChild child, Containment::Place place, Streams streams,
               Options options);
  ~LocalProcess() override;

  /// Right behind the construction: false if the system had no room to watch one more process, which is then to be
  /// destroyed.
  bool watched() const;

  void observe(capability::ProcessObserver* observer) override { observer_ = observer; }
  capability::ProcessState state() const override;
  capability::ProcessDetails details() const override;
  std::optional<capability::EventView> next_event(std::uint64_t after_seq) const override {
    return log_.next_event(after_seq);
  }
  std::uint64_t read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                     std::vector<capability::OutputView>& chunks) const override {
    return log_.read(after_seq, bytes_max, chunks);
  }
  capability::Excerpt excerpt(std::size_t head, std::size_t tail,
                              std::vector<capability::OutputView>& chunks) const override {
    return log_.excerpt(head, tail, chunks);
  }
  void set_keep(capability::Keep keep) override;
  void begin_delivery() override { log_.begin_delivery(); }
  void note_sent(std::uint64_t seq, std::uint64_t offset) override { log_.note_sent(seq, offset); }
  void prove_sent(std::uint64_t offset) override;
  void prove_through(std::uint64_t seq) override;
  void release_backlog() override;
  capability::Undelivered undelivered() const override { return log_.undelivered(); }
  std::size_t evict_proved(std::size_t bytes) override { return log_.evict_proved(bytes); }
  void on_room() override { fill_room(); }
  void set_flowing(bool flowing) override;
  void write(capability::WriteRequest request, capability::WriteDone done) override;
  void abandon_writes() override {
    if (stdin_) stdin_->abandon_waiting();
  }
  wire::WriteStatus close_stdin() override;
  bool signal(wire::AnySignal signal, wire::SignalTarget target) override;
  bool has_terminal() const override { return has_terminal_; }
  void resize(const wire::TerminalSize& size) override;
  bool terminate(std::chrono::milliseconds grace) override;

 private:
  template <class Action>
  void each_reader(Action action);
  void open_streams(Streams streams);
  void on_leader_ended();
  /// Takes note of an end that the loop has not reported yet; whether the leader lives.
  bool leader_lives();
  void end_by(wire::EndedBy reason, std::chrono::milliseconds grace);
  void kill_tree();
  void close_if_done();
  void leave_place();
  /// The log may have room again.
  void fill_room();
  void tell();

  const ProcessResources resources_;
  OutputLog log_;
  os::SpawnedChild child_;
  const Containment::Place place_;
  const bool has_terminal_;
  bool left_place_ = false;
  std::optional<int> exit_code_;
  wire::EndedBy ended_by_ = wire::EndedBy::itself;
  capability::ProcessObserver* observer_ = nullptr;
  std::unique_ptr<StdinWriter> stdin_;
  std::unique_ptr<OutputReader> stdout_, stderr_;  // a terminal has the first only
  std::unique_ptr<Watch> exit_watch_;
  std::unique_ptr<Timer> timeout_, kill_;  // made when asked for: most processes have neither
  MonotonicTime kill_at_{};
};

}  // namespace outpost::local
