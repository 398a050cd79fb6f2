#pragma once

#include <optional>

#include "base/result.h"
#include "local/files/entry.h"
#include "os/fd.h"

namespace outpost::local {

/// A file that is open for writing, not yet changed.
struct WriteTarget {
  os::FileDescriptor file;
  std::optional<Entry> made;  ///< where it was made just now; none if it was there

  /// A file that was made and couldn't be filled isn't left behind, unless another has taken its name.
  void remove_if_made();
};

/// Opens `name` of `folder` with these access flags of open(2), or makes it with `mode` less the umask. Nothing waits:
/// a FIFO without a reader is os error 6. A link at the end is followed, and what a dangling one names is made, unless
/// `follow_symlinks` is false: then it is os error 40. A folder is os error 21. Any thread.
Result<WriteTarget> open_write_target(int folder, const char* name, int access, unsigned mode, bool follow_symlinks);

/// As `open_write_target`, but the name must not exist in any form: else os error 17.
Result<WriteTarget> make_write_target(int folder, const char* name, int access, unsigned mode);

}  // namespace outpost::local
