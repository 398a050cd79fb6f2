#pragma once

#include <expected>

#include "os/fd.h"

namespace outpost::os {

/// Opens `name` in `folder` (AT_FDCWD for the current one; ignored where `name` is absolute) with these flags of
/// open(2), close on exec added. The failure is errno: what it means is the caller's to say.
std::expected<FileDescriptor, int> open_at(int folder, const char* name, int flags);

}  // namespace outpost::os
