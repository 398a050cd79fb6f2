#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/loop.h"
#include "base/result.h"
#include "local/process/orphan_tags.h"
#include "os/cgroup.h"

namespace outpost::local {

/// How far the end of a process reaches, the most first (extensions 2).
enum class ContainmentLevel { cgroup, subreaper, group };
std::string_view name_of(ContainmentLevel level);
std::optional<ContainmentLevel> containment_level_of(std::string_view name);

/// Keeps track of what processes leave behind, and ends it: sessions of their own, double forks, daemons. With a cgroup
/// for each process the kernel does; else a tag that descendants inherit tells them apart (`os/orphan_tag.h`), for
/// which this process must be a subreaper. Everything belongs to a scope, and is ended with it at the latest.
/// All members may be called from any thread; what takes long happens on a thread of its own.
class Containment {
 public:
  using Scope = OrphanTags::Scope;

  struct Settings {
    ContainmentLevel best = ContainmentLevel::cgroup;  ///< nothing above this is tried
    std::string cgroup_name;                           ///< of the folder to make in our own cgroup; unique
  };
  /// The place of one process.
  struct Place {
    Scope scope = 0;
    std::uint64_t member = 0;      ///< its cgroup
    std::uint32_t orphan_tag = 0;  ///< or its tag; 0: there is none
  };
  struct NewPlace {
    Place place;
    os::FileDescriptor cgroup_procs;  ///< for the child, to be in its cgroup; none at other levels
  };

  /// Tries the levels from the best on. Call it before there are other threads.
  explicit Containment(Settings settings);
  Containment(const Containment&) = delete;
  Containment& operator=(const Containment&) = delete;
  /// Ends whatever is left of any scope.
  ~Containment();

  ContainmentLevel level() const { return level_; }
  /// Why it isn't a better one; empty if it is the best.
  const std::string& reason() const { return reason_; }
  /// The cgroup folder in use, else empty.
  std::string cgroup_path() const { return cgroups_ ? cgroups_->path() : std::string(); }

  Scope new_scope();
  /// A place for a process that is about to be started. Fails with the system's text if the kernel gives none.
  Result<NewPlace> enter(Scope scope);
  /// Ends all that was ever started there, soon.
  void end(const Place& place);
  /// The process there has closed: what it left running is ended with the scope.
  void leave(const Place& place);
  /// Ends all that is left of all places of the scope, soon. Nothing may enter it any more.
  void end_scope(Scope scope);

 private:
  struct Removal {
    Place place;
    bool whole_scope = false;
    MonotonicTime next_try, give_up;
    std::chrono::milliseconds pause{1};
  };
  void choose_level(const Settings& settings);
  Result<> try_cgroups(const Settings& settings);
  void remove_later(const Place& place, bool whole_scope);
  void wake_worker();
  void run();
  void kill_tagged(std::unique_lock<std::mutex>& lock);
  void look_for_tags(std::unique_lock<std::mutex>& lock);
  void remove_due();
  bool try_remove(const Removal& removal) const;
  MonotonicTime next_removal() const;

  ContainmentLevel level_ = ContainmentLevel::group;
  std::string reason_;
  std::unique_ptr<os::CgroupFolder> cgroups_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  Scope last_scope_ = 0;
  std::uint64_t last_member_ = 0;
  OrphanTags tags_;
  std::vector<std::uint32_t> to_kill_;
  std::vector<Removal> removals_;
  std::thread worker_;  // begins with the first work
};

}  // namespace outpost::local
