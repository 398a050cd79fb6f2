#pragma once

#include <string>

#include "os/system_result.h"

namespace outpost::os {

/// The path with every link resolved; all of it must exist (realpath(3)). Blocks on a slow file system; any thread.
SystemResult<std::string> real_path(const char* path);

}  // namespace outpost::os
