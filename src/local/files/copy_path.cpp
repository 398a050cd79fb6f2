#include "local/files/copy_path.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "local/files/copy_file.h"
#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "local/files/folder_chain.h"
#include "local/files/make_folders.h"
#include "os/file_entries.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

using Kind = os::FolderReader::Kind;

Error copied_into_itself() {
  return {ErrorKind::invalid_input, "fs/copy cannot copy a directory to itself or one of its descendants"};
}

/// Whether `folder` is, or lies somewhere below, the folder `above`.
Result<bool> lies_in(const os::FileDescriptor& folder, const os::FileIdentity& above) {
  os::FileDescriptor at = OUTPOST_TRY_SYSTEM(file_error, os::open_at(folder.get(), ".", O_PATH | O_DIRECTORY));
  auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(at.get()));
  for (;;) {
    if (os::identity_of(status) == above) return true;
    at = OUTPOST_TRY_SYSTEM(file_error, os::open_at(at.get(), "..", O_PATH | O_DIRECTORY));
    const auto parent = OUTPOST_TRY_SYSTEM(file_error, os::status_of(at.get()));
    // The root is its own parent.
    if (os::identity_of(parent) == os::identity_of(status) && parent.stx_mnt_id == status.stx_mnt_id) return false;
    status = parent;
  }
}

/// The nearest folder at or above `path` that is there, links followed.
Result<os::FileDescriptor> nearest_folder(std::string path) {
  for (;;) {
    auto folder = os::open_at(AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY);
    if (folder) return *std::move(folder);
    if (path == "/" || (folder.error() != ENOENT && folder.error() != ENOTDIR)) return fail(file_error(folder.error()));
    path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  }
}

class TreeCopy {
 public:
  TreeCopy(FolderChain from, FolderChain to, const std::stop_token& stop)
      : from_(std::move(from)), to_(std::move(to)), from_top_(from_.identity()), to_top_(to_.identity()), stop_(stop) {}

  Result<> run() {
    for (;;) {
      if (stop_.stop_requested()) return fail(request_cancelled());
      const auto entry = OUTPOST_TRY_SYSTEM(file_error, from_.reader().next());
      if (entry) {
        OUTPOST_CHECK_OK(copy_one(entry->name, entry->kind));
        continue;
      }
      if (from_.depth() == 1) return {};
      OUTPOST_CHECK_OK(from_.leave());
      OUTPOST_CHECK_OK(to_.leave());
    }
  }

 private:
  Result<> copy_one(const char* name, Kind kind) {
    if (kind == Kind::unknown) kind = OUTPOST_TRY(kind_of(name));
    const EntryView source{.folder = from_.folder(), .name = name};
    const EntryView destination{.folder = to_.folder(), .name = name};
    if (kind == Kind::folder) return descend(name);
    if (kind == Kind::file) return copy_file(source, destination, stop_);
    if (kind == Kind::link) return copy_link(source, destination);
    return {};  // FIFOs, sockets and devices are left out (filesystem 5)
  }

  Result<Kind> kind_of(const char* name) {
    const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_at(from_.folder(), name));
    if (S_ISDIR(status.stx_mode)) return Kind::folder;
    if (S_ISREG(status.stx_mode)) return Kind::file;
    return S_ISLNK(status.stx_mode) ? Kind::link : Kind::fifo;
  }

  Result<> descend(const char* name) {
    auto source =
        OUTPOST_TRY_SYSTEM(file_error, os::open_at(from_.folder(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(source.get()));
    // Somebody moved the destination into the source.
    if (os::identity_of(status) == to_top_) return fail(copied_into_itself());
    bool through_link = false;
    auto destination = OUTPOST_TRY(make_destination(name, through_link));
    if (through_link && OUTPOST_TRY(lies_in(destination, from_top_))) return fail(copied_into_itself());
    OUTPOST_CHECK_OK(from_.enter(std::move(source)));
    return to_.enter(std::move(destination), through_link);
  }

  Result<os::FileDescriptor> make_destination(const char* name, bool& through_link) {
    const auto made = os::make_folder_at(to_.folder(), name);
    if (!made && made.error() != EEXIST) return fail(file_error(made.error()));
    auto folder = os::open_at(to_.folder(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!folder) {
      folder = os::open_at(to_.folder(), name, O_PATH | O_DIRECTORY);
      through_link = true;
    }
    if (!folder) return fail(file_error(EEXIST));
    return *std::move(folder);
  }

  FolderChain from_;
  FolderChain to_;
  const os::FileIdentity from_top_;
  const os::FileIdentity to_top_;
  const std::stop_token& stop_;
};

Result<> copy_tree(const Entry& from, const std::string& destination, const std::stop_token& stop) {
  const char* name = from.name.empty() ? "." : from.name.c_str();
  auto source =
      OUTPOST_TRY_SYSTEM(file_error, os::open_at(from.folder.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const auto top = os::identity_of(OUTPOST_TRY_SYSTEM(file_error, os::status_of(source.get())));
  const os::FileDescriptor nearest = OUTPOST_TRY(nearest_folder(destination));
  if (OUTPOST_TRY(lies_in(nearest, top))) return fail(copied_into_itself());
  OUTPOST_CHECK_OK(make_folders(destination));
  auto target = OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, destination.c_str(), O_PATH | O_DIRECTORY));
  if (OUTPOST_TRY(lies_in(target, top))) return fail(copied_into_itself());
  auto from_chain = OUTPOST_TRY(FolderChain::from(std::move(source), FolderChain::Access::list));
  auto to_chain = OUTPOST_TRY(FolderChain::from(std::move(target), FolderChain::Access::pass));
  return TreeCopy(std::move(from_chain), std::move(to_chain), stop).run();
}

}  // namespace

Result<> copy_path(const std::string& source, const std::string& destination, bool recursive,
                   const std::stop_token& stop) {
  const Entry from = OUTPOST_TRY(entry_of(source, true));
  const auto status =
      OUTPOST_TRY_SYSTEM(file_error, from.name.empty() ? os::status_of(from.folder.get())
                                                       : os::status_at(from.folder.get(), from.name.c_str()));
  if (S_ISDIR(status.stx_mode)) {
    if (recursive) return copy_tree(from, destination, stop);
    return fail(ErrorKind::invalid_input, "fs/copy requires recursive: true when sourcePath is a directory");
  }
  if (!S_ISREG(status.stx_mode) && !S_ISLNK(status.stx_mode)) return fail(unsupported_source());
  const Entry to = OUTPOST_TRY(entry_of(destination, true));
  const EntryView from_view{.folder = from.folder.get(), .name = from.name.c_str()};
  const EntryView to_view{.folder = to.folder.get(), .name = to.name.empty() ? "." : to.name.c_str()};
  return S_ISLNK(status.stx_mode) ? copy_link(from_view, to_view) : copy_file(from_view, to_view, stop);
}

}  // namespace outpost::local
