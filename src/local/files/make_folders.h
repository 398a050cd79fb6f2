#pragma once

#include <string>

#include "base/result.h"

namespace outpost::local {

/// Makes an absolute native path a folder, with all that are missing above it, mode 0777 less the umask. A folder that
/// is there, or a link to one, will do; anything else in the way is os error 17, a file as a parent 20 (filesystem 5,
/// fs/createDirectory). Any thread; may block on a slow file system.
Result<> make_folders(const std::string& path);

}  // namespace outpost::local
