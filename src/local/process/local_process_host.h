#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/loop.h"
#include "capability/process_host.h"
#include "local/process/reaper.h"
#include "os/spawn_thread.h"

namespace outpost::local {

/// Starts processes on this machine. One for each loop; they share the spawn thread.
class LocalProcessHost final : public capability::ProcessHost {
 public:
  /// `loop` and `spawn_thread` must outlive the host, and the host the processes that it started.
  LocalProcessHost(Loop& loop, os::SpawnThread& spawn_thread);

  Result<> check(const wire::StartParams& params) const override;
  /// Refuses what can't be honoured yet, by name: a sandbox, a network proxy, a terminal.
  void start(wire::StartParams params, capability::StartDone done) override;

 private:
  struct Pipes;
  Result<Pipes> make_pipes(const wire::StartParams& params, os::SpawnRequest& request) const;

  Loop& loop_;
  os::SpawnThread& spawn_thread_;
  Reaper reaper_;
  std::vector<std::string> server_environment_;
  Bytes scratch_{limits::output_turn_bytes};  // what processes print is read into it
};

/// What `LocalProcessHost::check` checks, in the order of the reference; the native working folder on success. Pure.
Result<std::string> check_params(const wire::StartParams& params);
/// As `check_params`, and what the params say against what this machine does now. Pure; for the host and its tests.
Result<std::string> check_start(const wire::StartParams& params);

/// The error of a program that couldn't be started (processes-and-sessions 5.5).
Error spawn_error(int os_error);

}  // namespace outpost::local
