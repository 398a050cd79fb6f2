#pragma once

#include <initializer_list>

#include "base/result.h"
#include "os/fd.h"

/// What the one who launched this program left us: perhaps closed descriptors and ignored signals.
namespace outpost::os {

/// Opens /dev/null in place of standard descriptors that are closed, since the next descriptor of ours would be taken
/// for a standard stream by whoever reads or prints. Call it first in `main`.
void fill_standard_descriptors();

/// Whether the signal is ignored: by nohup (SIGHUP), or by a shell for a job in the background (SIGINT).
bool is_ignored(int signal);

/// As `watch_signals`, but signals that are ignored stay so: a signal that is blocked is kept even if it is ignored.
Result<FileDescriptor> watch_heeded_signals(std::initializer_list<int> signals);

}  // namespace outpost::os
