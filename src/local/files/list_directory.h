#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/folder_reader.h"
#include "wire/protocol/files.h"

namespace outpost::local {

/// Lists a folder as fs/readDirectory does, in steps (filesystem 5). Belongs to one thread at a time; may block on a
/// slow file system.
class DirectoryLister {
 public:
  static Result<DirectoryLister> open(const std::string& path);

  /// Lists up to so many further entries: whether that was the end.
  Result<bool> read(std::size_t entries, const std::stop_token& stop);
  /// What was listed; an error if it was more than `limits::folder_entries_listed_max`.
  Result<wire::ReadDirectoryResult> take();

 private:
  explicit DirectoryLister(os::FileDescriptor folder);
  void list(const os::FolderReader::Entry& entry);

  os::FileDescriptor folder_;
  std::unique_ptr<os::FolderReader> reader_;
  bool searchable_;  // entries can be reached, so that those that aren't links need not be looked at
  std::size_t listed_ = 0;
  wire::ReadDirectoryResult result_;
};

}  // namespace outpost::local
