#include "local/files/copy_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "local/files/copy_contents.h"
#include "local/files/file_error.h"
#include "local/files/write_target.h"
#include "os/file_attributes.h"
#include "os/file_contents.h"
#include "os/file_entries.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr unsigned permission_bits = 07777;  // fixed by POSIX, chmod
constexpr unsigned plain_bits = 0777;        // fixed by POSIX, chmod: those that run nothing as somebody else

/// Makes room in an existing file, which keeps all it had if that fails; then empties it.
Result<> prepare_existing(const os::FileDescriptor& file, const struct statx& source, const struct statx& target) {
  constexpr std::uint64_t block_bytes = 512;  // fixed by statx(2)
  OUTPOST_CHECK_SYSTEM(file_error, os::set_mode(file.get(), source.stx_mode & plain_bits));
  const std::uint64_t needed = std::min(source.stx_blocks * block_bytes, source.stx_size);
  if (needed > target.stx_blocks * block_bytes) {
    if (const auto reserved = os::reserve_room(file.get(), needed); !reserved) {
      (void)os::set_mode(file.get(), target.stx_mode & permission_bits);
      return fail(file_error(reserved.error()));
    }
  }
  OUTPOST_CHECK_SYSTEM(file_error, os::set_size(file.get(), 0));
  return {};
}

Result<> fill(const os::FileDescriptor& from, const struct statx& source, const WriteTarget& target,
              const std::stop_token& stop) {
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(target.file.get()));
  if (os::identity_of(status) == os::identity_of(source)) return {};
  const bool regular = S_ISREG(status.stx_mode);
  if (regular && !target.made) OUTPOST_CHECK_OK(prepare_existing(target.file, source, status));
  OUTPOST_CHECK_OK(copy_contents(from, target.file, stop));
  // At the end: writing takes away the bits that run a program as its owner.
  if (regular) OUTPOST_CHECK_SYSTEM(file_error, os::set_mode(target.file.get(), source.stx_mode & permission_bits));
  return {};
}

}  // namespace

Error unsupported_source() {
  return {ErrorKind::invalid_input, "fs/copy only supports regular files, directories, and symlinks"};
}

Result<> copy_file(EntryView from, EntryView to, const std::stop_token& stop) {
  const auto file = OUTPOST_TRY_SYSTEM(
      file_error, os::open_at(from.folder, from.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file.get()));
  if (!S_ISREG(status.stx_mode)) return fail(unsupported_source());
  // Before anything is opened for writing, which a file that is only read or run may refuse.
  const auto there = os::target_status_at(to.folder, to.name);
  if (there && os::identity_of(*there) == os::identity_of(status)) return {};
  WriteTarget target = OUTPOST_TRY(open_write_target(to.folder, to.name, O_WRONLY, status.stx_mode & plain_bits, true));
  Result<> filled = fill(file, status, target, stop);
  if (!filled) target.remove_if_made();
  return filled;
}

Result<> copy_link(EntryView from, EntryView to) {
  const std::string text = OUTPOST_TRY_SYSTEM(file_error, os::read_link_at(from.folder, from.name));
  OUTPOST_CHECK_SYSTEM(file_error, os::make_link_at(text.c_str(), to.folder, to.name));
  return {};
}

}  // namespace outpost::local
