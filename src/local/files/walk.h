#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "wire/protocol/files.h"

namespace outpost::local {

/// fs/walk of an absolute native path (filesystem 5). Holds at most the names that may still be listed, however large a
/// folder is. Any thread; may block on a slow file system.
Result<wire::WalkResult> walk(const std::string& path, const wire::WalkOptions& options, const std::stop_token& stop);

}  // namespace outpost::local
