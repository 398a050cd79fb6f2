#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace outpost::local {

struct MetadataChange {
  std::optional<std::uint32_t> mode = std::nullopt;           ///< permission bits, 07777
  std::optional<std::int64_t> modified_at_ms = std::nullopt;  ///< since 1970, negative for before
  std::optional<std::uint64_t> size = std::nullopt;           ///< of a regular file, which is cut or grows by a hole
  bool follow_symlinks = true;
};

/// outpost/fs/setMetadata of an absolute native path: size, then mode, then time; the first failure ends it. Without
/// `follow_symlinks` a link at the end takes a time only, else os error 95, and one on the way is 20 (extensions 9.5).
/// Any thread; may block on a slow file system.
Result<> set_metadata(const std::string& path, const MetadataChange& change);

}  // namespace outpost::local
