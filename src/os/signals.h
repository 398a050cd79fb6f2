#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::os {

/// Writes to a peer that is gone fail with EPIPE instead of ending this process. Process-wide; children get the
/// default.
void ignore_broken_pipes();

/// Blocks `signals` in the calling thread (threads made later inherit that) and gives a descriptor that is readable
/// when one of them arrives; close on exec, not blocking. Call before there are threads, else another one may take the
/// signal.
Result<FileDescriptor> watch_signals(std::initializer_list<int> signals);
/// The next signal of such a descriptor, nothing if none waits.
std::optional<int> next_signal(int signal_fd);

/// Blocks every signal in the calling thread until the end of the scope.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked();
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
  ~AllSignalsBlocked();

 private:
  sigset_t before_;
};

}  // namespace outpost::os
