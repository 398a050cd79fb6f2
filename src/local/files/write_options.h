#pragma once

#include <cstdint>
#include <optional>

namespace outpost::local {

/// How a file is written (filesystem 4 and 5; extensions 9.1 and 9.2).
struct WriteOptions {
  bool follow_symlinks = true;
  bool atomic = false;     ///< a new file that replaces the target when it is complete
  bool exclusive = false;  ///< the path must not exist in any form
  std::optional<std::uint32_t> mode =
      std::nullopt;    ///< permission bits, the umask not applied; for an existing file too
  bool fsync = false;  ///< on the disk before `commit` returns
  /// How many bytes will come, if that is known: if there is no room for them, an existing file keeps what it has.
  std::uint64_t expected_bytes = 0;
};

enum class OpenPurpose {
  whole_file,  ///< fs/writeFile: devices and FIFOs are written too
  replace,     ///< fs/open: a regular file, emptied
  update,      ///< fs/open: a regular file, for reading and writing, as it is
};

}  // namespace outpost::local
