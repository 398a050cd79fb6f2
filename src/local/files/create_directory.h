#pragma once

#include <string>

#include "base/result.h"

namespace outpost::local {

/// fs/createDirectory of an absolute native path (filesystem 4, 5). Any thread; may block on a slow file system.
Result<> create_directory(const std::string& path, bool recursive, bool follow_symlinks);

}  // namespace outpost::local
