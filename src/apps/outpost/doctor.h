#pragma once

#include <string>
#include <vector>

#include "local/process/containment.h"
#include "os/features.h"

namespace outpost::apps {

/// What was found out about this machine.
struct MachineFindings {
  std::string kernel;
  int pidfd_error = 0;
  local::ContainmentLevel containment = local::ContainmentLevel::group;
  std::string containment_reason;  ///< why it isn't a better level; empty if it is the best
  int user_namespace_error = 0;
  std::string bubblewrap;  ///< its path; empty: not found
  os::Landlock landlock;
};

/// A line for each finding: `ok` or `missing`, what it is, and what to do about what is missing. Pure.
std::vector<std::string> doctor_lines(const MachineFindings& findings);

/// `outpost doctor`: says what this machine offers; the exit status. Call it before there are other threads.
int doctor();

}  // namespace outpost::apps
