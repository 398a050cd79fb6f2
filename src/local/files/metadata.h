#pragma once

#include <string>

#include "base/result.h"
#include "wire/protocol/files.h"

namespace outpost::local {

/// Metadata of a native path, links followed or not (filesystem 4, 5). Any thread; may block on a slow file system.
Result<wire::GetMetadataResult> metadata_of(const std::string& path, bool follow_symlinks);

}  // namespace outpost::local
