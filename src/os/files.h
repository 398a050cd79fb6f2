#pragma once

#include <expected>
#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::os {

/// Opens `name` in `folder` (AT_FDCWD for the current one; ignored where `name` is absolute) with these flags of
/// open(2), close on exec added. The failure is errno: what it means is the caller's to say.
std::expected<FileDescriptor, int> open_at(int folder, const char* name, int flags);

/// 0 if this process may write to the file or folder, else errno.
int write_access(const std::string& path);

/// The text of a small file, such as those of /proc; at most `limits::small_file_bytes_max` of it. Blocks.
Result<std::string> read_small_file(const char* path);

}  // namespace outpost::os
