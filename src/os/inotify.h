#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "os/fd.h"
#include "os/system_result.h"

/// Changes in folders and files as inotify(7) tells them.
namespace outpost::os {

enum class WatchFor {
  names,     ///< of a folder: names that come or go, and its own end or move
  contents,  ///< of a file: its contents, and its own end or move
  end,       ///< its own end or move
};

struct FileEvent {
  int watch = -1;         ///< as `watch_path` named it; -1: events were lost
  std::string_view name;  ///< of the entry that came or went; empty: the watched one itself
};

/// Never blocks when read.
SystemResult<FileDescriptor> make_inotify();
/// Watches what `path` names, a link at its end not followed; the name of the watch. A path that is watched already
/// keeps its name and is watched for both.
SystemResult<int> watch_path(int inotify, const char* path, WatchFor what);
/// Hands on all events that have come.
void read_events(int inotify, const std::function<void(const FileEvent&)>& take);

}  // namespace outpost::os
