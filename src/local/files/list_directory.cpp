#include "local/files/list_directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

#include "base/limits/files.h"
#include "base/utf8.h"
#include "local/files/file_error.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

DirectoryLister::DirectoryLister(os::FileDescriptor folder)
    : folder_(std::move(folder)),
      reader_(std::make_unique<os::FolderReader>(folder_.get())),
      searchable_(os::status_at(folder_.get(), ".").has_value()) {}

Result<DirectoryLister> DirectoryLister::open(const std::string& path) {
  return DirectoryLister(
      OUTPOST_TRY_SYSTEM(file_error, os::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK)));
}

void DirectoryLister::list(const os::FolderReader::Entry& entry) {
  using Kind = os::FolderReader::Kind;
  wire::DirectoryEntry listed;
  listed.is_directory = entry.kind == Kind::folder;
  listed.is_file = entry.kind == Kind::file;
  if (entry.kind == Kind::link || entry.kind == Kind::unknown || !searchable_) {
    const auto target = os::target_status_at(folder_.get(), entry.name);
    if (!target) return;
    listed.is_directory = S_ISDIR(target->stx_mode);
    listed.is_file = S_ISREG(target->stx_mode);
  }
  if (++listed_ > limits::folder_entries_listed_max) return;
  listed.file_name = to_utf8_lossy(as_bytes(entry.name));
  result_.entries.push_back(std::move(listed));
}

Result<bool> DirectoryLister::read(std::size_t entries, const std::stop_token& stop) {
  for (; entries > 0; --entries) {
    if (stop.stop_requested()) return fail(request_cancelled());
    const auto entry = OUTPOST_TRY_SYSTEM(file_error, reader_->next());
    if (!entry) return true;
    list(*entry);
  }
  return false;
}

Result<wire::ReadDirectoryResult> DirectoryLister::take() {
  if (listed_ <= limits::folder_entries_listed_max) return std::move(result_);
  return fail(ErrorKind::io, "fs/readDirectory returned " + std::to_string(listed_) + " entries; limit is " +
                                 std::to_string(limits::folder_entries_listed_max));
}

}  // namespace outpost::local
