#include "local/files/writable_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "local/files/copy_contents.h"
#include "local/files/entry.h"
#include "local/files/file_error.h"
#include "os/file_attributes.h"
#include "os/file_contents.h"
#include "os/file_status.h"

namespace outpost::local {

namespace {

constexpr unsigned plain_bits = 0777;     // fixed by POSIX, chmod: those that run nothing as somebody else
constexpr unsigned special_bits = 07000;  // fixed by POSIX, chmod: the others
constexpr unsigned new_file = 0666;       // fixed by POSIX, creat: less the umask

Result<Entry> entry_to_write(const std::string& path, bool follow_symlinks) {
  Entry entry = OUTPOST_TRY(entry_of(path, follow_symlinks));
  if (!entry.name.empty()) return entry;
  return fail(follow_symlinks ? file_error(EISDIR) : no_entry_named());
}

}  // namespace

Result<WritableFile> WritableFile::open(const std::string& path, OpenPurpose purpose, const WriteOptions& options) {
  WritableFile file;
  file.options_ = options;
  Entry entry = OUTPOST_TRY(entry_to_write(path, options.follow_symlinks));
  if (options.atomic) {
    if (options.follow_symlinks && !options.exclusive) entry = OUTPOST_TRY(target_entry(std::move(entry)));
    file.atomic_ = OUTPOST_TRY(AtomicTarget::make(std::move(entry), options));
    file.size_before_ = file.atomic_->size_before();
    return file;
  }
  const int access = purpose == OpenPurpose::update ? O_RDWR : O_WRONLY;
  const unsigned mode = options.mode ? *options.mode & plain_bits : new_file;
  const char* name = entry.name.c_str();
  file.target_ = options.exclusive
                     ? OUTPOST_TRY(make_write_target(entry.folder.get(), name, access, mode))
                     : OUTPOST_TRY(open_write_target(entry.folder.get(), name, access, mode, options.follow_symlinks));
  const Result<> prepared = file.prepare(path, purpose);
  if (prepared) return file;
  file.abandon();
  return fail(prepared.error());
}

Result<> WritableFile::prepare(const std::string& path, OpenPurpose purpose) {
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(fd()));
  regular_ = S_ISREG(status.stx_mode);
  if (!regular_) {
    // `/dev/null` and the like can be written whole, but keep their mode.
    if (purpose != OpenPurpose::whole_file) return fail(not_a_file(path));
    return {};
  }
  size_before_ = target_.made ? 0 : status.stx_size;
  if (options_.mode) OUTPOST_CHECK_SYSTEM(file_error, os::set_mode(fd(), *options_.mode));
  if (target_.made || purpose == OpenPurpose::update) return {};
  const Result<> emptied = empty_existing();
  if (!emptied && options_.mode) (void)os::set_mode(fd(), status.stx_mode & (plain_bits | special_bits));
  return emptied;
}

Result<> WritableFile::empty_existing() {
  if (options_.expected_bytes > size_before_) {
    OUTPOST_CHECK_SYSTEM(file_error, os::reserve_room(fd(), options_.expected_bytes));
  }
  OUTPOST_CHECK_SYSTEM(file_error, os::set_size(fd(), 0));
  return {};
}

Result<> WritableFile::write_at(std::uint64_t offset, ByteView bytes, const std::stop_token& stop) {
  return regular_ ? write_all_at(fd(), bytes, offset) : write_all(fd(), bytes, stop);
}

Result<> WritableFile::commit() {
  if (atomic_) return atomic_->replace_target();
  // Writing took away the bits that run a program as its owner.
  if (regular_ && options_.mode.value_or(0) & special_bits) {
    OUTPOST_CHECK_SYSTEM(file_error, os::set_mode(fd(), *options_.mode));
  }
  if (!options_.fsync || !regular_) return {};
  OUTPOST_CHECK_SYSTEM(file_error, os::flush_to_disk(fd()));
  if (target_.made) OUTPOST_CHECK_SYSTEM(file_error, os::flush_folder_to_disk(target_.made->folder.get()));
  return {};
}

void WritableFile::abandon() {
  discard();
  target_.remove_if_made();
}

Result<> write_file(const std::string& path, ByteView contents, WriteOptions options, const std::stop_token& stop) {
  options.expected_bytes = contents.size();
  WritableFile file = OUTPOST_TRY(WritableFile::open(path, OpenPurpose::whole_file, options));
  Result<> written = file.write_at(0, contents, stop);
  if (written) written = file.commit();
  if (!written) file.abandon();
  return written;
}

}  // namespace outpost::local
