#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "local/files/atomic_target.h"
#include "local/files/write_options.h"
#include "local/files/write_target.h"

namespace outpost::local {

/// A file that is being written: by fs/writeFile at once, by fs/open block by block (filesystem 4 and 5, extensions 9.1
/// and 9.2). Moves, never copies; any thread, one at a time; blocks on a slow file system.
class WritableFile {
 public:
  /// Opens or makes the file of an absolute native path. Unless `purpose` is `update` or the write is atomic, an
  /// existing file is empty from then on; whatever is refused leaves it as it was. That options fit together is the
  /// caller's to check (extensions 9.1).
  static Result<WritableFile> open(const std::string& path, OpenPurpose purpose, const WriteOptions& options);

  /// Bytes of what was there before this changed anything; 0 if nothing, or no regular file.
  std::uint64_t size_before() const { return size_before_; }
  int fd() const { return atomic_ ? atomic_->file() : target_.file.get(); }

  /// All of `bytes` at `offset`. To a FIFO or device they go one after the other, whatever the offset, and a wait for
  /// room ends by `stop`, with `cancelled`.
  Result<> write_at(std::uint64_t offset, ByteView bytes, const std::stop_token& stop);

  /// Must be called once when all is written: an atomic write replaces its target by it, `fsync` is done by it. After a
  /// failure of an atomic one the target is as it was.
  Result<> commit();
  /// Ends an atomic write without replacing anything, as destruction does. Nothing for others.
  void discard() { atomic_.reset(); }
  /// As `discard`; and a file that was made by `open` is removed again.
  void abandon();

 private:
  WritableFile() = default;
  Result<> prepare(const std::string& path, OpenPurpose purpose);
  Result<> empty_existing();

  WriteOptions options_;
  std::optional<AtomicTarget> atomic_;
  WriteTarget target_;
  bool regular_ = true;
  std::uint64_t size_before_ = 0;
};

/// fs/writeFile. A failure leaves no new file behind; an existing one keeps what it has if the room is lacking (where
/// the file system can tell), or if the write is atomic.
Result<> write_file(const std::string& path, ByteView contents, WriteOptions options, const std::stop_token& stop);

}  // namespace outpost::local
