#pragma once

#include <sys/types.h>

#include <functional>

#include "os/fd.h"

namespace outpost::os {

/// What the server knows of its guard.
struct GuardLink {
  /// Readable (end of file) when the guard is gone: the server then ends all processes and itself. Not blocking.
  FileDescriptor guard_death;
  pid_t guard_pid = 0;
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
/// `after`, if given, runs in the guard once all processes are gone. A server that a signal has asked to end, and that
/// doesn't for `limits::guard_patience`, is killed.
int run_guarded(std::move_only_function<int(GuardLink)> server, std::move_only_function<void()> after = {});

}  // namespace outpost::os
