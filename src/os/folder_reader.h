#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "os/fd.h"
#include "os/system_result.h"

namespace outpost::os {

/// Reads the entries of an open folder, a buffer at a time, in the order of the file system and without `.` and `..`.
/// Blocks on a slow file system. Belongs to one thread.
class FolderReader {
 public:
  enum class Kind { unknown, file, folder, link, fifo, socket, block_device, character_device };
  struct Entry {
    const char* name;  ///< valid until the next call
    Kind kind;         ///< `unknown` where the file system doesn't tell
  };

  /// The folder of `fd`, which is open for reading and must stay so.
  explicit FolderReader(int fd);
  /// None at the end. What is made or removed meanwhile comes or doesn't, all else comes once.
  SystemResult<std::optional<Entry>> next();
  /// From the first entry again.
  SystemResult<> rewind();
  /// Where the next call goes on; a reader of another descriptor of that folder may `seek` to it.
  std::int64_t position() const { return position_; }
  SystemResult<> seek(std::int64_t position);

 private:
  int fd_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace outpost::os
