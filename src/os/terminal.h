#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::os {

struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
};

/// A pseudo-terminal (pty(7)) in the kernel's default modes. Both ends close on exec.
struct Terminal {
  FileDescriptor master;  ///< not blocking; reads end with EIO when the last holder of the other end is gone
  FileDescriptor slave;   ///< for the program; not our controlling terminal
};

/// Needs no path of /dev/pts but its `ptmx`. Fails with the system's text: no terminals left, no descriptors.
Result<Terminal> open_terminal(TerminalSize size);
/// The foreground group gets SIGWINCH from the kernel. False if `master` has no terminal any more.
bool resize_terminal(int master, TerminalSize size);
/// Signals the terminal's foreground process group. False if there is none.
bool signal_foreground(int master, int signal);

}  // namespace outpost::os
