#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "os/fd.h"

namespace outpost::os {

/// What the server knows of its guard.
struct GuardLink {
  /// Readable (end of file) when the guard is gone: the server then ends all processes and itself. Not blocking.
  FileDescriptor guard_death;
  pid_t guard_pid = 0;

  /// Tells the guard that the server can be connected to.
  void tell_ready() const;
};

/// What a guard does besides guarding.
struct GuardSettings {
  /// SIGHUP doesn't ask the server to end; it is passed on all the same, even where the launcher ignores it.
  bool hang_up_is_no_end = false;
  /// Told `READY=1` once the server says so, and `STOPPING=1` when it ends (`service_manager.h`). Empty: nobody.
  std::string notify_address = {};
  /// Runs in the guard once all processes are gone.
  std::move_only_function<void()> after = {};
};

/// Splits the program into a guard and a server, so that whichever is killed the other one clears up (design: nothing
/// left behind). Call it before any thread exists. It returns in both processes: in the server what `server` returned,
/// in the guard the server's exit status (128 + the signal if one killed it) once every descendant is gone; both leave
/// `main` with it. If the guard can't be set up, it says so on stderr and returns 1.
///
/// The guard is the process that was launched: its pid is what a supervisor knows. It passes SIGTERM, SIGINT and SIGHUP
/// on, reaps whatever falls to it (as PID 1, too), and kills what the server leaves. The server leads a session of its
/// own without a terminal, and is a subreaper; SIGTERM, SIGINT and SIGHUP are blocked in it until it reads them
/// (`signals.h`). As a session leader it must open terminals with O_NOCTTY.
/// A server that a signal has asked to end, and that doesn't for `limits::guard_patience`, is killed.
int run_guarded(std::move_only_function<int(GuardLink)> server, GuardSettings settings = {});

}  // namespace outpost::os
