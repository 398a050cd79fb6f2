#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/folder_reader.h"

namespace outpost::local {

struct FullEntry {
  std::string name;                                               ///< any bytes
  os::FolderReader::Kind kind = os::FolderReader::Kind::unknown;  ///< of the entry itself; `unknown` never comes
  std::uint64_t size = 0;                                         ///< bytes, as the file system says
  std::uint32_t mode = 0;                                         ///< permission bits, 07777
  std::int64_t modified_at_ms = 0;                                ///< since 1970; negative for before
  std::optional<std::string> link_target = std::nullopt;          ///< any bytes
};

/// outpost/fs/readDirectoryFull: all entries of a folder (its path may be a link), sorted by the bytes of their names
/// (extensions 9.6). One that can't be looked at comes with what the folder tells of it. More than
/// `limits::folder_entries_listed_max` are an error that counts them. `stop` ends it with `cancelled`. Any thread.
Result<std::vector<FullEntry>> list_directory_full(const std::string& path, const std::stop_token& stop);

}  // namespace outpost::local
