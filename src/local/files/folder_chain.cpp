#include "local/files/folder_chain.h"

#include <fcntl.h>

#include <utility>

#include "base/limits/files.h"
#include "local/files/file_error.h"
#include "os/files.h"

namespace outpost::local {

Result<FolderChain> FolderChain::from(os::FileDescriptor top, Access access) {
  FolderChain chain(access);
  OUTPOST_CHECK_OK(chain.push(std::move(top)));
  return chain;
}

os::FolderReader& FolderChain::reader() {
  Level& level = levels_.back();
  if (!level.reader) level.reader.emplace(level.folder.get());
  return *level.reader;
}

Result<> FolderChain::push(os::FileDescriptor folder) {
  if (levels_.size() == limits::tree_depth_max) {
    return fail(ErrorKind::limit_reached,
                "folders are nested deeper than " + std::to_string(limits::tree_depth_max) + " levels");
  }
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(folder.get()));
  levels_.push_back({.folder = std::move(folder), .reader = std::nullopt, .identity = os::identity_of(status)});
  return {};
}

Result<> FolderChain::enter(os::FileDescriptor folder, bool through_link) {
  levels_.back().stays_open = through_link;
  OUTPOST_CHECK_OK(push(std::move(folder)));
  if (levels_.size() <= limits::tree_open_folders_max) return {};
  Level& far = levels_[levels_.size() - 1 - limits::tree_open_folders_max];
  if (far.stays_open) return {};
  if (far.reader) far.position = far.reader->position();
  far.reader.reset();
  far.folder.reset();
  return {};
}

Result<> FolderChain::leave() {
  const os::FileDescriptor inner = std::move(levels_.back().folder);
  levels_.pop_back();
  Level& level = levels_.back();
  if (level.folder) return {};
  const int flags = O_DIRECTORY | O_NOFOLLOW | (access_ == Access::list ? O_RDONLY : O_PATH);
  level.folder = OUTPOST_TRY_SYSTEM(file_error, os::open_at(inner.get(), "..", flags));
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(level.folder.get()));
  if (os::identity_of(status) != level.identity) {
    return fail(ErrorKind::io, "a folder was moved away while work in it was going on");
  }
  if (access_ == Access::list) OUTPOST_CHECK_SYSTEM(file_error, reader().seek(level.position));
  return {};
}

}  // namespace outpost::local
