#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
#include "base/watch.h"
#include "local/files/local_mounts.h"
#include "os/fd.h"
#include "os/inotify.h"
#include "wire/protocol/files.h"

namespace outpost::local {

/// The one watch of a connection for paths that aren't there (filesystem 5, fs/watchMissing). Never blocks: what a slow
/// file system would have to tell isn't watched. Belongs to a loop.
class MissingWatch {
 public:
  using Changed = std::move_only_function<void(std::uint64_t watch_id)>;

  MissingWatch(Loop& loop, LocalMounts& mounts, Changed changed);

  /// Whether the paths are watched from now on. A `watchId` that isn't above all earlier ones changes nothing; any
  /// other ends the earlier watch.
  bool set(const wire::WatchMissingParams& params);

 private:
  /// The entries of a watched folder that are waited for.
  struct Awaited {
    std::vector<std::string> names;
  };
  bool set_up(const wire::WatchMissingParams& params);
  bool watch_missing(const std::string& path);
  bool watch_present(const std::string& path);
  bool watch(const std::string& path, os::WatchFor what, const std::string& name);
  void on_events();
  bool concerns(const os::FileEvent& event) const;

  Loop& loop_;
  LocalMounts& mounts_;
  Changed changed_;
  std::optional<std::uint64_t> last_id_;
  os::FileDescriptor inotify_;
  std::unique_ptr<Watch> events_;  // goes before the descriptor that it borrows
  std::unordered_map<int, Awaited> awaited_;
};

}  // namespace outpost::local
