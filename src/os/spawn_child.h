#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

#include "os/orphan_tag.h"
#include "os/spawn.h"

namespace outpost::os {

/// Where a child says why it failed; lies in memory that parent and child share.
struct ChildReport {
  SpawnFailure::Stage stage = SpawnFailure::prepare;
  int error = 0;  ///< 0: the program executes
};

/// All that a child needs, made ready before it exists: it can't allocate.
struct ChildPlan {
  const char* const* candidates = nullptr;  ///< paths to execute, the first that is there wins; ends with a null
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;  ///< null: stay
  int descriptors[3] = {-1, -1, -1};
  bool controlling_terminal = false;
  TagPlace tag_place = TagPlace::timer_slack;
  std::uint32_t orphan_tag = 0;
  int cgroup_procs = -1;                      ///< -1: stay in the parent's cgroup
  const rlimit* descriptors_limit = nullptr;  ///< null: as the parent's
  pid_t parent = 0;
  ChildReport* report = nullptr;
};

/// The child from its first instruction to the program; `plan` is a `ChildPlan`. Returns never. See spawn_child.cpp.
int run_child(void* plan);

}  // namespace outpost::os
