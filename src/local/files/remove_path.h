#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

namespace outpost::local {

struct RemoveOptions {
  bool recursive = true;
  bool force = true;  ///< what is missing, or has no parent, was removed
  bool follow_symlinks = true;
};

/// fs/remove of an absolute native path (filesystem 4 and 5). The last component is never followed, nor is a link
/// inside a tree. Works by descriptors: renames meanwhile never lead out of the tree.
///
/// `/`, a mount point, and a folder with one below it are not removed recursively; that is looked at before anything
/// is removed, and again at each folder. The first failure ends the work; so does `stop`, with `cancelled`. Any thread;
/// may block on a slow file system.
Result<> remove_path(const std::string& path, const RemoveOptions& options, const std::stop_token& stop);

}  // namespace outpost::local
