#pragma once

#include <cstdint>
#include <stop_token>

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"

namespace outpost::local {

/// Writes all of `bytes` at `offset` of a regular file.
Result<> write_all_at(int fd, ByteView bytes, std::uint64_t offset);
/// Writes all of `bytes` to what has no offsets, such as a FIFO; waits for room, not beyond `stop`.
Result<> write_all(int fd, ByteView bytes, const std::stop_token& stop);

/// Makes the contents of `to` those of the regular file `from`: by shared blocks or inside the kernel where that can
/// be, holes kept. `to` is open for writing and, if it is a regular file, empty.
///
/// What is copied is the file as long as it was at the start. One that was cut or changed meanwhile is copied
/// again, a few times, and then an error; one that only grew is none; one that says it is empty, as those of /proc, is
/// read to its end. `stop` ends the work with `cancelled`. After a failure `to` has any part of it. Any thread; may
/// block.
Result<> copy_contents(const os::FileDescriptor& from, const os::FileDescriptor& to, const std::stop_token& stop);

}  // namespace outpost::local
