#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/limits/processes.h"
#include "base/loop.h"
#include "capability/process_host.h"
#include "local/process/containment.h"
#include "local/process/local_process.h"
#include "local/process/reaper.h"
#include "os/spawn_thread.h"

namespace outpost::local {

/// Starts processes on this machine. One for each loop; they share the spawn thread and the containment.
class LocalProcessHost final : public capability::ProcessHost {
 public:
  struct Settings {
    std::size_t process_retention_max = limits::process_retention_max;  ///< the most output that is kept of one process
    capability::RetainedBudget* retained = nullptr;  ///< of all processes together; null: any amount. Outlives the host
  };

  /// All but the settings must outlive the host, and the host the processes that it started.
  LocalProcessHost(Loop& loop, os::SpawnThread& spawn_thread, Containment& containment, Settings settings);

  Scope new_scope() override { return resources_.containment.new_scope(); }
  Result<> check(const wire::StartParams& params) const override;
  /// Refuses what can't be honoured yet, by name: a sandbox, a network proxy, limits.
  void start(Scope scope, wire::StartParams params, capability::StartDone done) override;
  void end_scope(Scope scope) override { resources_.containment.end_scope(scope); }

 private:
  struct Prepared {
    os::SpawnRequest request;
    LocalProcess::Streams streams;
    Containment::Place place;
  };
  Result<Prepared> prepare(Scope scope, const wire::StartParams& params);
  LocalProcess::Options options_of(const wire::StartParams& params) const;
  Result<> open_pipes(const wire::StartParams& params, Prepared& prepared) const;
  Result<> open_terminal(const wire::StartParams& params, Prepared& prepared);

  Bytes scratch_{limits::output_turn_bytes};
  const ProcessResources resources_;
  const Settings settings_;
  Reaper reaper_;
  std::vector<std::string> server_environment_;
  std::string shell_;  // of the user, once a terminal needed it
};

/// What `LocalProcessHost::check` checks, in the order of the reference; the native working folder on success. Pure.
Result<std::string> check_params(const wire::StartParams& params);
/// As `check_params`, and what the params say against what this machine does now. Pure; for the host and its tests.
Result<std::string> check_start(const wire::StartParams& params);

/// The error of a program that couldn't be started (processes-and-sessions 5.5). `terminal_lookup`: the name that was
/// looked up for a terminal, for which a failure has a text and kind of its own; else empty.
Error spawn_error(int os_error, const std::string& terminal_lookup);

}  // namespace outpost::local
