#include "local/files/missing_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/limits/file_reads.h"
#include "os/file_status.h"
#include "wire/path_uri.h"

namespace outpost::local {

namespace {

/// Where a path that isn't there breaks off.
struct Break {
  std::string folder;  ///< the nearest part that exists
  std::string name;    ///< the first that doesn't
};

/// None if the path exists, leads through a link or a file, or can't be looked at.
std::optional<Break> break_of(const std::string& path) {
  for (std::size_t cut = 0; cut != path.size();) {
    cut = std::min(path.find('/', cut + 1), path.size());
    const std::string part = path.substr(0, cut);
    const auto status = os::status_at(AT_FDCWD, part.c_str());
    if (!status && status.error() == ENOENT) {
      const std::size_t slash = part.rfind('/');
      return Break{part.substr(0, std::max<std::size_t>(1, slash)), part.substr(slash + 1)};
    }
    if (!status || !S_ISDIR(status->stx_mode)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

MissingWatch::MissingWatch(Loop& loop, LocalMounts& mounts, Changed changed)
    : loop_(loop), mounts_(mounts), changed_(std::move(changed)) {}

bool MissingWatch::set(const wire::WatchMissingParams& params) {
  if (last_id_ && params.watch_id <= *last_id_) return false;
  last_id_ = params.watch_id;
  events_.reset();
  awaited_.clear();
  inotify_.reset();
  if (set_up(params)) {
    auto events = Watch::create(loop_, inotify_.get(), [this] { on_events(); });
    if (events) {
      events_ = *std::move(events);
      events_->wait_readable();
      return true;
    }
  }
  awaited_.clear();
  inotify_.reset();
  return false;
}

bool MissingWatch::set_up(const wire::WatchMissingParams& params) {
  if (params.missing.empty() || params.missing.size() > limits::missing_paths_max) return false;
  auto made = os::make_inotify();
  if (!made) return false;
  inotify_ = *std::move(made);
  const auto add = [](const wire::PathUri& uri, auto watch) {
    const auto path = wire::path_from_uri(uri.text);
    return path && watch(*path);
  };
  const bool all = std::ranges::all_of(params.missing, [&](const wire::PathUri& uri) {
    return add(uri, [this](const std::string& path) { return watch_missing(path); });
  });
  return all &&
         (!params.present || add(*params.present, [this](const std::string& path) { return watch_present(path); }));
}

bool MissingWatch::watch_missing(const std::string& path) {
  if (!mounts_.tells_changes(path)) return false;
  const auto before = break_of(path);
  if (!before || !watch(before->folder, os::WatchFor::names, before->name)) return false;
  // What came into being in between was not told.
  const auto after = break_of(path);
  return after && after->folder == before->folder;
}

bool MissingWatch::watch_present(const std::string& path) {
  if (!mounts_.tells_changes(path) || !mounts_.is_local(path)) return false;
  const auto status = os::status_at(AT_FDCWD, path.c_str());
  if (!status || !(S_ISREG(status->stx_mode) || S_ISDIR(status->stx_mode))) return false;
  const os::WatchFor what = S_ISREG(status->stx_mode) ? os::WatchFor::contents : os::WatchFor::end;
  if (!watch(path, what, "")) return false;
  // A file that is open elsewhere, or has another name, lives on when its name goes.
  const std::size_t slash = path.rfind('/');
  if (path.size() > 1 &&
      !watch(path.substr(0, std::max<std::size_t>(1, slash)), os::WatchFor::names, path.substr(slash + 1))) {
    return false;
  }
  const auto again = os::status_at(AT_FDCWD, path.c_str());
  return again && os::identity_of(*again) == os::identity_of(*status);
}

bool MissingWatch::watch(const std::string& path, os::WatchFor what, const std::string& name) {
  const auto watch = os::watch_path(inotify_.get(), path.c_str(), what);
  if (!watch) return false;
  Awaited& awaited = awaited_[*watch];
  if (!name.empty()) awaited.names.push_back(name);
  return true;
}

bool MissingWatch::concerns(const os::FileEvent& event) const {
  const auto found = awaited_.find(event.watch);
  // Lost events may have been ours; a watch that isn't known any more can't tell.
  if (found == awaited_.end()) return true;
  return event.name.empty() || std::ranges::find(found->second.names, event.name) != found->second.names.end();
}

void MissingWatch::on_events() {
  bool fired = false;
  os::read_events(inotify_.get(), [&](const os::FileEvent& event) { fired |= concerns(event); });
  if (!fired) return events_->wait_readable();
  awaited_.clear();
  events_.reset();
  inotify_.reset();
  changed_(*last_id_);
}

}  // namespace outpost::local
