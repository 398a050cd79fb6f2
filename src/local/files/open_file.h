#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::local {

/// Opens a regular file for reading, as fs/readFile, fs/open and the digest do (filesystem 4 and 5). Nothing waits: a
/// FIFO, folder or device is refused after it was opened without blocking, so that no swap in between matters. Any
/// thread; may block on a slow file system.
Result<os::FileDescriptor> open_regular_file(const std::string& path, bool follow_symlinks);

}  // namespace outpost::local
