#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/file_status.h"
#include "os/folder_reader.h"

namespace outpost::local {

/// The folders from the top of a tree down to where a walk is, each found in the open one above it: nobody who renames
/// parts of the tree, or puts a link in the place of a folder, leads the walk out of it. However deep the tree is, few
/// of them are open; the others are reopened by `..` on the way up, and it is checked that they are the same.
/// Belongs to one thread; may block on a slow file system.
class FolderChain {
 public:
  enum class Access { list, pass };  ///< open for reading, or with O_PATH only

  /// `top` is open as `access` says.
  static Result<FolderChain> from(os::FileDescriptor top, Access access);

  /// The innermost folder.
  int folder() const { return levels_.back().folder.get(); }
  const os::FileIdentity& identity() const { return levels_.back().identity; }
  /// Its entries; only with `Access::list`.
  os::FolderReader& reader();
  std::size_t depth() const { return levels_.size(); }

  /// Goes into a folder of the innermost one. `through_link`: its `..` isn't where we come from. Fails with
  /// `limit_reached` past `limits::tree_depth_max`.
  Result<> enter(os::FileDescriptor folder, bool through_link = false);
  /// Goes back up, where the reader goes on behind the folder that was entered. Never from the top.
  Result<> leave();

 private:
  struct Level {
    os::FileDescriptor folder;  ///< empty where others deeper down need the room
    std::optional<os::FolderReader> reader;
    std::int64_t position = 0;  ///< of the reader, while there is none
    os::FileIdentity identity;
    bool stays_open = false;
  };

  explicit FolderChain(Access access) : access_(access) {}
  Result<> push(os::FileDescriptor folder);

  Access access_;
  std::vector<Level> levels_;
};

}  // namespace outpost::local
