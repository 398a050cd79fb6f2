#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "local/files/entry.h"
#include "local/files/write_options.h"
#include "os/fd.h"
#include "os/file_status.h"

namespace outpost::local {

/// The new file of an atomic write, `.NAME.outpost-XXXXXX` beside the target (extensions 9.1). Removed again unless
/// `replace_target` succeeds. Moves, never copies; belongs to one thread at a time.
class AtomicTarget {
 public:
  /// Makes the new file beside `target`, whose last component is taken as it is. What is there must be a regular file
  /// that may be written.
  static Result<AtomicTarget> make(Entry target, const WriteOptions& options);
  AtomicTarget(AtomicTarget&& other) noexcept;
  AtomicTarget& operator=(AtomicTarget&& other) noexcept;
  ~AtomicTarget() { remove(); }

  int file() const { return file_.get(); }
  std::uint64_t size_before() const { return replaces_ ? before_.stx_size : 0; }

  /// Gives the new file the mode, the owner (where that is allowed) and the extended attributes of what it replaces,
  /// puts it on the disk and renames it. After a failure the target is untouched and the new file gone.
  Result<> replace_target();
  /// Throws the new file away, if it is there still.
  void remove();

 private:
  AtomicTarget(Entry target, const WriteOptions& options) : target_(std::move(target)), options_(options) {}
  Result<> look_at_target();
  Result<> make_file();
  Result<> carry_over();
  Result<> carry_attributes();
  Result<> finish();

  Entry target_;
  WriteOptions options_;
  bool replaces_ = false;
  struct statx before_{};  ///< of what is replaced
  os::FileDescriptor file_;
  std::string name_;  ///< of the new file; empty once it has gone
};

/// The name of a new file beside `target`; its six last characters are made of `random`. A name that would be too long
/// for a file is shortened in the middle.
std::string temporary_name(std::string_view target, std::uint64_t random);

}  // namespace outpost::local
