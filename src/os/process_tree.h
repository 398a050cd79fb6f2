#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace outpost::os {

/// One line of /proc/PID/stat (proc(5)).
struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';

  /// Ended, though perhaps not reaped.
  bool is_dead() const { return state == 'Z' || state == 'X' || state == 'x'; }
};

/// Reads the text of a /proc/PID/stat; a name may hold spaces, brackets and line ends. Nothing if it is something else.
std::optional<ProcessEntry> parse_process_stat(std::string_view text);
/// Everything that /proc shows, at most `limits::processes_listed_max`; empty without /proc.
std::vector<ProcessEntry> list_processes();

/// What belongs together and shall end together.
struct TreeRoot {
  pid_t leader = 0;  ///< this process and its descendants, while it isn't reaped; 0: none
  std::uint32_t orphan_tag =
      0;  ///< adopted children of this process that carry the tag, and their descendants; 0: none
};

struct TreeKill {
  std::size_t killed = 0;  ///< processes that got a SIGKILL
  bool complete = false;   ///< nothing is left that wasn't killed; false without /proc, or with a setuid program
};

/// Ends whole trees: everything is stopped, looked for again until nothing new shows, then killed; so a program that
/// forks without end doesn't run away. Reaps nothing and doesn't wait for the deaths. Some milliseconds for each
/// thousand of processes on the machine: keep it off a busy loop. Attribution of orphans needs this process to be a
/// subreaper.
TreeKill kill_trees(std::span<const TreeRoot> roots);
/// The same for every descendant of this process but `spared` children and what they started.
TreeKill kill_descendants(std::span<const pid_t> spared = {});

/// The orphan tags that living children of this process carry.
std::unordered_set<std::uint32_t> orphan_tags_of_children();

/// Orphans of descendants become children of this process from now on (PR_SET_CHILD_SUBREAPER, prctl(2)); false if the
/// kernel can't. Not inherited by fork.
bool become_subreaper();

}  // namespace outpost::os
