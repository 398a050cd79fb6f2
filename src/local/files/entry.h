#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::local {

/// A name in an open folder: what stands for a path from the moment on that its folder was found, so that nobody who
/// renames folders meanwhile moves the work elsewhere. Open with O_PATH only.
struct Entry {
  os::FileDescriptor folder;
  std::string name;  ///< one component; empty for `/`, which `folder` then is
};

/// The folder at the end of an absolute path, opened one by one from `/`: a link among them is "not a directory". What
/// is missing on the way is an error, or for `on_missing` to make. Open with O_PATH only.
Result<os::FileDescriptor> descend_without_links(
    std::string_view path,
    const std::function<Result<>(const os::FileDescriptor& folder, const char* name)>& on_missing = {});

/// The entry that an absolute native path names; its last component need not exist and is never followed. Without
/// `follow_symlinks` the folders are opened one by one and a link among them is "not a directory" (filesystem 4).
/// Any thread; may block on a slow file system.
Result<Entry> entry_of(const std::string& path, bool follow_symlinks);

/// The entry that is reached when links at the end are followed, even if nothing is there: what a write through a
/// dangling link makes. A link that the kernel wouldn't follow isn't followed here.
Result<Entry> target_entry(Entry entry);

}  // namespace outpost::local
