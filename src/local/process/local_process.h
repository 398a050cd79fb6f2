#pragma once

#include <memory>
#include <optional>

#include "base/loop.h"
#include "base/watch.h"
#include "capability/process_host.h"
#include "local/process/output_log.h"
#include "local/process/output_reader.h"
#include "local/process/reaper.h"
#include "local/process/stdin_writer.h"
#include "os/spawn_thread.h"

namespace outpost::local {

/// A process of this machine, started and watched over pipes: its output goes into its log, its exit is told when its
/// leader ends, its close when the last holder of its streams lets go (processes-and-sessions 6).
class LocalProcess final : public capability::Process {
 public:
  struct Streams {
    os::FileDescriptor stdin_write;  ///< none: its stdin is empty
    os::FileDescriptor stdout_read, stderr_read;
  };

  /// `reaper` takes the leader over if the process is destroyed before its end; output is read into `scratch`, which
  /// processes of one loop share. All must outlive this.
  LocalProcess(Loop& loop, os::SpawnThread& spawn_thread, Reaper& reaper, os::SpawnedChild child, Streams streams,
               MutableBytes scratch);
  ~LocalProcess() override;

  void observe(capability::ProcessObserver* observer) override { observer_ = observer; }
  capability::ProcessState state() const override { return log_.state(); }
  std::optional<capability::EventView> next_event(std::uint64_t after_seq) const override {
    return log_.next_event(after_seq);
  }
  std::uint64_t read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                     std::vector<capability::OutputView>& chunks) const override {
    return log_.read(after_seq, bytes_max, chunks);
  }
  void note_sent(std::uint64_t seq, std::uint64_t offset) override { log_.note_sent(seq, offset); }
  void set_flowing(bool flowing) override;
  void write(capability::WriteRequest request, capability::WriteDone done) override;
  void abandon_writes() override {
    if (stdin_) stdin_->abandon_waiting();
  }
  wire::WriteStatus close_stdin() override;
  void interrupt() override;
  bool terminate() override;

 private:
  void on_leader_ended();
  void close_if_done();
  void tell();
  bool leader_alive() const { return !exit_code_; }

  os::SpawnThread& spawn_thread_;
  Reaper& reaper_;
  OutputLog log_;
  os::SpawnedChild child_;
  std::optional<int> exit_code_;
  bool terminated_ = false;
  capability::ProcessObserver* observer_ = nullptr;
  std::unique_ptr<StdinWriter> stdin_;
  std::unique_ptr<OutputReader> stdout_, stderr_;
  std::unique_ptr<Watch> exit_watch_;
};

}  // namespace outpost::local
