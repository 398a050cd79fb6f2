#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"

namespace outpost::local {

/// Reads a whole regular file, in steps (filesystem 5, fs/readFile). Belongs to one thread at a time; may block on a
/// slow file system.
class ContentsReader {
 public:
  /// Refuses what is larger than `limits::read_file_bytes_max`, before anything is read.
  static Result<ContentsReader> open(const std::string& path, bool follow_symlinks);

  /// What the file said its size is; 0 for those of /proc.
  std::uint64_t expected() const { return expected_; }
  /// Reads on until the end, or until so many bytes are there: whether it was the end. Looks at `stop` now and then.
  Result<bool> read(std::size_t bytes_until, const std::stop_token& stop);
  /// All that was read.
  Bytes take();

 private:
  ContentsReader(os::FileDescriptor file, std::uint64_t expected) : file_(std::move(file)), expected_(expected) {}
  Result<> make_room();

  os::FileDescriptor file_;
  std::uint64_t expected_;
  Bytes bytes_;
  std::size_t filled_ = 0;
};

/// Up to `bytes` at `offset`; fewer only at the end of the file.
Result<Bytes> read_block(int fd, std::uint64_t offset, std::size_t bytes);

}  // namespace outpost::local
