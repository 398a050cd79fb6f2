#include "os/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "base/limits/system.h"
#include "os/fd.h"
#include "os/orphan_tag.h"

namespace outpost::os {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool take_number(std::string_view& text, pid_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<ProcessEntry> read_process(int proc_fd, const char* name) {
  const FileDescriptor file(::openat(proc_fd, (std::string(name) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 512> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) return std::nullopt;
  return parse_process_stat({text.data(), static_cast<std::size_t>(size)});
}

/// One look at /proc, ordered by parent.
class Snapshot {
 public:
  Snapshot() : entries_(list_processes()) { std::ranges::sort(entries_, {}, &ProcessEntry::parent); }

  bool empty() const { return entries_.empty(); }
  std::span<const ProcessEntry> children_of(pid_t parent) const {
    return std::ranges::equal_range(entries_, parent, {}, &ProcessEntry::parent);
  }

  /// What lives among `tops` and their descendants. A dead one has no children, but may be the start of a list.
  std::vector<pid_t> living_below(std::vector<pid_t> tops) const {
    std::vector<pid_t> living;
    std::unordered_set<pid_t> seen(tops.begin(), tops.end());
    while (!tops.empty()) {
      const pid_t parent = tops.back();
      tops.pop_back();
      for (const ProcessEntry& entry : children_of(parent)) {
        // Entries are read one after the other, so reused numbers could even make a ring.
        if (!seen.insert(entry.pid).second) continue;
        if (!entry.is_dead()) living.push_back(entry.pid);
        tops.push_back(entry.pid);
      }
    }
    return living;
  }

  /// Children of this process that `wanted` picks, and everything below them.
  std::vector<pid_t> living_trees(const std::function<bool(const ProcessEntry&)>& wanted) const {
    std::vector<pid_t> tops;
    std::vector<pid_t> living_tops;
    for (const ProcessEntry& entry : children_of(::getpid())) {
      if (!wanted(entry)) continue;
      tops.push_back(entry.pid);
      if (!entry.is_dead()) living_tops.push_back(entry.pid);
    }
    std::vector<pid_t> living = living_below(std::move(tops));
    living.insert(living.end(), living_tops.begin(), living_tops.end());
    return living;
  }

 private:
  std::vector<ProcessEntry> entries_;
};

using Wanted = std::function<bool(const ProcessEntry&)>;

/// The kill loop. A stopped process can't fork: once the kernel has taken the SIGSTOP, a fork under way is given up or
/// its child is to be seen. So when a look shows nothing new, what is known is all there is.
class TreeKiller {
 public:
  explicit TreeKiller(const Wanted& wanted) : wanted_(wanted) {}

  TreeKill run() {
    for (std::size_t round = 0; round < limits::tree_kill_rounds_max; ++round) {
      const std::vector<pid_t> living = look();
      if (living.empty()) return {killed_count_, !out_of_reach_ && saw_processes_};
      if (!stop(living)) kill(living);
    }
    kill(look());
    return {killed_count_, false};
  }

 private:
  std::vector<pid_t> look() {
    const Snapshot snapshot;
    saw_processes_ = !snapshot.empty();
    std::vector<pid_t> living = snapshot.living_trees(wanted_);
    std::erase_if(living, [this](pid_t pid) { return killed_.contains(pid); });
    return living;
  }

  /// True if any of them is new, so that another look is due.
  bool stop(const std::vector<pid_t>& living) {
    bool any_new = false;
    for (const pid_t pid : living) {
      if (!stopped_.insert(pid).second) continue;
      any_new = true;
      ::kill(pid, SIGSTOP);
    }
    return any_new;
  }

  void kill(const std::vector<pid_t>& living) {
    for (const pid_t pid : living) {
      killed_.insert(pid);
      if (::kill(pid, SIGKILL) == 0)
        ++killed_count_;
      else if (errno == EPERM)
        out_of_reach_ = true;
    }
  }

  const Wanted& wanted_;
  std::unordered_set<pid_t> stopped_;
  std::unordered_set<pid_t> killed_;
  std::size_t killed_count_ = 0;
  bool out_of_reach_ = false;
  bool saw_processes_ = false;
};

}  // namespace

std::optional<ProcessEntry> parse_process_stat(std::string_view text) {
  ProcessEntry entry;
  if (!take_number(text, entry.pid) || !text.starts_with('(')) return std::nullopt;
  // The name is the program's choice and may hold ") R 1 "; nothing behind it holds a bracket.
  const auto name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 2);
  if (text.size() < 2 || text[1] != ' ') return std::nullopt;
  entry.state = text[0];
  text.remove_prefix(2);
  const bool complete =
      take_number(text, entry.parent) && take_number(text, entry.group) && take_number(text, entry.session);
  if (!complete) return std::nullopt;
  return entry;
}

std::vector<ProcessEntry> list_processes() {
  std::vector<ProcessEntry> entries;
  const std::unique_ptr<DIR, CloseFolder> proc(::opendir("/proc"));
  if (!proc) return entries;
  while (const dirent* item = ::readdir(proc.get())) {
    if (item->d_name[0] < '1' || item->d_name[0] > '9') continue;
    if (entries.size() >= limits::processes_listed_max) break;
    if (const auto entry = read_process(::dirfd(proc.get()), item->d_name)) entries.push_back(*entry);
  }
  return entries;
}

TreeKill kill_trees(std::span<const TreeRoot> roots) {
  std::unordered_set<pid_t> leaders;
  std::unordered_set<std::uint32_t> tags;
  for (const TreeRoot& root : roots) {
    if (root.leader != 0) leaders.insert(root.leader);
    if (root.orphan_tag != 0) tags.insert(root.orphan_tag);
  }
  const auto wanted = [&](const ProcessEntry& child) {
    if (leaders.contains(child.pid)) return true;
    // Only when somebody asks for tags: it costs a system call or three.
    return !tags.empty() && tags.contains(orphan_tag_of(child.pid));
  };
  return TreeKiller(wanted).run();
}

TreeKill kill_descendants(std::span<const pid_t> spared) {
  const auto wanted = [spared](const ProcessEntry& child) {
    return std::ranges::find(spared, child.pid) == spared.end();
  };
  return TreeKiller(wanted).run();
}

std::unordered_set<std::uint32_t> orphan_tags_of_children() {
  std::unordered_set<std::uint32_t> tags;
  const pid_t self = ::getpid();
  for (const ProcessEntry& entry : list_processes()) {
    if (entry.parent == self && !entry.is_dead()) tags.insert(orphan_tag_of(entry.pid));
  }
  return tags;
}

bool become_subreaper() {
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

}  // namespace outpost::os
