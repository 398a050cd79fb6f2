#pragma once

#include <string>

#include "base/result.h"

namespace outpost::local {

/// outpost/fs/rename between absolute native paths: one rename(2), the last components not followed. Without `replace`
/// an existing destination is os error 17; another file system is 18, a folder over one that isn't empty 39
/// (extensions 9.3). Any thread; may block on a slow file system.
Result<> rename_path(const std::string& source, const std::string& destination, bool replace);

}  // namespace outpost::local
