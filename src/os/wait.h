#pragma once

#include <chrono>

namespace outpost::os {

/// Blocks the calling thread until `fd` can be read (or written) without waiting, or has failed; for a thread of its
/// own that works on a descriptor whose mode isn't ours to change. A descriptor that knows no waiting, as of a file, is
/// ready at once.
void wait_until_readable(int fd);
void wait_until_writable(int fd);
/// As `wait_until_writable`, but returns after `patience` in any case.
void wait_until_writable(int fd, std::chrono::milliseconds patience);

}  // namespace outpost::os
