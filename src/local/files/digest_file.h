#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace outpost::local {

struct FileDigest {
  std::string sha256;       ///< 64 lower-case hexadecimal digits
  std::uint64_t bytes = 0;  ///< that it is of
  std::uint64_t size = 0;   ///< of the file when they had been read
};

/// outpost/fs/digest of a regular file: of up to `length` bytes from `offset`, else to the end as it is found
/// (extensions 9.4). Errors as `open_regular_file`. `stop` ends it with `cancelled`. Any thread; takes as long as
/// reading takes.
Result<FileDigest> digest_file(const std::string& path, std::uint64_t offset, std::optional<std::uint64_t> length,
                               bool follow_symlinks, const std::stop_token& stop);

}  // namespace outpost::local
