#pragma once

#include <sys/resource.h>

namespace outpost::os {

/// Raises this process's soft limit on open descriptors (RLIMIT_NOFILE) to the hard one: a thousand processes on pipes
/// need several thousand, and many systems start programs with 1,024. Children get the old limit back (`spawn.h`),
/// since programs that use select(2) go wrong above it. Call once, at the start, before other threads.
void raise_descriptor_limit();
/// The limit as it was; null if it wasn't raised.
const rlimit* original_descriptor_limit();

}  // namespace outpost::os
