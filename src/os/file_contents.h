#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "os/io.h"
#include "os/system_result.h"

/// The bytes of open files. Blocks on a slow file system; any thread.
namespace outpost::os {

/// One `pread` and one `pwrite`; EINTR is retried, offsets are at most 2^63-1. Statuses as in `io.h`.
IoCount read_some_at(int fd, MutableBytes into, std::uint64_t offset);
IoCount write_some_at(int fd, ByteView from, std::uint64_t offset);

SystemResult<> set_size(int fd, std::uint64_t bytes);
/// Data and metadata of a file, or the entries of a folder, onto the disk (fsync).
SystemResult<> flush_to_disk(int fd);
/// `flush_to_disk` of a folder that is open in any way, with O_PATH too.
SystemResult<> flush_folder_to_disk(int folder);

/// Makes sure that `bytes` from the start can be written without running out of room; the size stays. Where the file
/// system can't promise that, nothing is done. ENOSPC and EDQUOT are told, and what was reserved past the end is given
/// back.
SystemResult<> reserve_room(int fd, std::uint64_t bytes);

/// Makes `to`, which is empty, share the blocks of `from`; false if these file systems don't do that.
bool share_blocks(int from, int to);
/// Copies up to `bytes` at the same offset of both files within the kernel; 0 at the end of `from`. A failure that
/// means "not with these two" is none.
SystemResult<std::optional<std::uint64_t>> copy_some_at(int from, int to, std::uint64_t offset, std::uint64_t bytes);

struct DataRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
/// The next bytes at or after `offset` that aren't a hole; none if only a hole follows. ENOTSUP where holes can't be
/// told.
SystemResult<std::optional<DataRange>> next_data(int fd, std::uint64_t offset);

}  // namespace outpost::os
