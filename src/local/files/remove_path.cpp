#include "local/files/remove_path.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/limits/files.h"
#include "base/utf8.h"
#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "local/files/folder_chain.h"
#include "os/file_entries.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr int listing = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

Error mount_point_kept(const std::string& path) {
  return {ErrorKind::invalid_input, "fs/remove cannot remove a mount point: `" + to_utf8_lossy(as_bytes(path)) + "`"};
}

bool is_gone(int error) {
  return error == ENOENT;
}

/// Removes a tree from the inside. Each level has the name of its folder in the level above.
class TreeRemoval {
 public:
  TreeRemoval(Entry& top, const std::string& path, const std::stop_token& stop) : top_(top), path_(path), stop_(stop) {}

  Result<> run() {
    auto folder = os::open_at(top_.folder.get(), top_.name.c_str(), listing);
    if (!folder) return unopened(top_.folder.get(), top_.name.c_str(), folder.error());
    OUTPOST_CHECK_OK(refuse_mount_points(*folder));
    chain_.emplace(OUTPOST_TRY(FolderChain::from(*std::move(folder), FolderChain::Access::list)));
    levels_.push_back({.name = top_.name});
    while (!levels_.empty()) {
      if (stop_.stop_requested()) return fail(request_cancelled());
      const auto entry = OUTPOST_TRY_SYSTEM(file_error, chain_->reader().next());
      if (!entry) {
        OUTPOST_CHECK_OK(remove_emptied());
      } else if (entry->kind == os::FolderReader::Kind::folder) {
        OUTPOST_CHECK_OK(descend(entry->name));
      } else {
        OUTPOST_CHECK_OK(remove_one(entry->name));
      }
    }
    return {};
  }

 private:
  struct Level {
    std::string name;
    std::size_t rounds = 1;
  };

  Result<> refuse_mount_points(const os::FileDescriptor& folder) {
    const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(folder.get()));
    if (os::is_mount_root(status)) return fail(mount_point_kept(path_));
    const auto real_path = os::path_of(folder.get());
    if (!real_path) return {};
    for (const std::string& point : os::mount_points()) {
      if (point.starts_with(*real_path + "/")) return fail(mount_point_kept(point));
    }
    return {};
  }

  /// A folder without the right to read it can be removed all the same if it is empty.
  static Result<> unopened(int folder, const char* name, int error) {
    if (is_gone(error)) return {};
    if (error == EACCES && os::remove_folder_at(folder, name)) return {};
    return fail(file_error(error));
  }

  Result<> descend(const char* name) {
    auto folder = os::open_at(chain_->folder(), name, listing);
    // A file or link has taken its place.
    if (!folder && (folder.error() == ENOTDIR || folder.error() == ELOOP)) return remove_one(name);
    if (!folder) return unopened(chain_->folder(), name, folder.error());
    const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(folder->get()));
    if (os::is_mount_root(status)) return fail(mount_point_kept(os::path_of(folder->get()).value_or(name)));
    levels_.push_back({.name = name});
    return chain_->enter(*std::move(folder));
  }

  Result<> remove_one(const char* name) {
    const auto removed = os::remove_file_at(chain_->folder(), name);
    if (removed || is_gone(removed.error())) return {};
    // The file system didn't tell the kind, or a folder has taken its place.
    if (removed.error() == EISDIR) return descend(name);
    return fail(file_error(removed.error()));
  }

  Result<> remove_emptied() {
    const bool is_top = levels_.size() == 1;
    if (!is_top) OUTPOST_CHECK_OK(chain_->leave());
    const int above = is_top ? top_.folder.get() : chain_->folder();
    Level level = std::move(levels_.back());
    levels_.pop_back();
    const auto removed = os::remove_folder_at(above, level.name.c_str());
    if (removed || is_gone(removed.error())) return {};
    if (removed.error() != ENOTEMPTY || level.rounds == limits::removal_rounds_max) {
      return fail(file_error(removed.error()));
    }
    return go_again(is_top, std::move(level));
  }

  /// Somebody put something into the folder meanwhile, or the file system passed over something.
  Result<> go_again(bool is_top, Level level) {
    ++level.rounds;
    if (is_top) {
      OUTPOST_CHECK_SYSTEM(file_error, chain_->reader().rewind());
    } else {
      auto folder = OUTPOST_TRY_SYSTEM(file_error, os::open_at(chain_->folder(), level.name.c_str(), listing));
      OUTPOST_CHECK_OK(chain_->enter(std::move(folder)));
    }
    levels_.push_back(std::move(level));
    return {};
  }

  Entry& top_;
  const std::string& path_;
  const std::stop_token& stop_;
  std::optional<FolderChain> chain_;
  std::vector<Level> levels_;
};

Result<> remove_root(const RemoveOptions& options) {
  if (!options.follow_symlinks) return fail(no_entry_named());
  if (options.recursive) return fail(ErrorKind::invalid_input, "fs/remove cannot remove `/`");
  return fail(file_error(EBUSY));
}

Result<> remove_entry(Entry& entry, const std::string& path, const RemoveOptions& options,
                      const std::stop_token& stop) {
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_at(entry.folder.get(), entry.name.c_str()));
  if (S_ISLNK(status.stx_mode) && !options.follow_symlinks) {
    return fail(ErrorKind::invalid_input, "path contains a symbolic link");
  }
  if (!S_ISDIR(status.stx_mode)) {
    OUTPOST_CHECK_SYSTEM(file_error, os::remove_file_at(entry.folder.get(), entry.name.c_str()));
    return {};
  }
  if (options.recursive) return TreeRemoval(entry, path, stop).run();
  OUTPOST_CHECK_SYSTEM(file_error, os::remove_folder_at(entry.folder.get(), entry.name.c_str()));
  return {};
}

}  // namespace

Result<> remove_path(const std::string& path, const RemoveOptions& options, const std::stop_token& stop) {
  if (!options.follow_symlinks && options.recursive) {
    return fail(ErrorKind::io, "recursive no-follow removal is unsupported");
  }
  Result<Entry> entry = entry_of(path, options.follow_symlinks);
  if (entry && entry->name.empty()) return remove_root(options);
  Result<> removed = entry ? remove_entry(*entry, path, options, stop) : fail(entry.error());
  if (!removed && options.force && removed.error().kind == ErrorKind::not_found) return {};
  return removed;
}

}  // namespace outpost::local
