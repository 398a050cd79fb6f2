#include "local/files/atomic_target.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <span>

#include "base/limits/files.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "local/files/file_error.h"
#include "os/file_attributes.h"
#include "os/file_contents.h"
#include "os/file_entries.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr unsigned permission_bits = 07777;  // fixed by POSIX, chmod
constexpr unsigned owner_only = 0600;        // fixed by POSIX, chmod
constexpr unsigned new_file = 0666;          // fixed by POSIX, creat: less the umask
constexpr std::string_view name_middle = ".outpost-";
constexpr std::size_t random_characters = 6;

/// Attributes that tell of the contents or give rights to them: with others the kernel drops or refuses them too.
bool belongs_to_contents(std::string_view name) {
  return name == "security.capability" || name == "security.ima" || name == "security.evm";
}

/// Attributes that only the system or its administrator may set; without that right there is nothing to do.
bool may_be_refused(std::string_view name) {
  return name.starts_with("security.") || name.starts_with("trusted.");
}

bool is_refusal(int error) {
  return error == EPERM || error == EACCES || error == ENOTSUP;
}

}  // namespace

std::string temporary_name(std::string_view target, std::uint64_t random) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  constexpr std::size_t room = limits::file_name_bytes_max - 1 - name_middle.size() - random_characters;
  std::string name = ".";
  if (target.size() <= room) {
    name += target;
  } else {
    name += is_utf8(target) ? utf8_prefix(target, room) : target.substr(0, room);
  }
  name += name_middle;
  for (std::size_t i = 0; i < random_characters; ++i) {
    name.push_back(letters[random % letters.size()]);
    random /= letters.size();
  }
  return name;
}

AtomicTarget::AtomicTarget(AtomicTarget&& other) noexcept
    : target_(std::move(other.target_)),
      options_(other.options_),
      replaces_(other.replaces_),
      before_(other.before_),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})) {}

AtomicTarget& AtomicTarget::operator=(AtomicTarget&& other) noexcept {
  if (this == &other) return *this;
  remove();
  target_ = std::move(other.target_);
  options_ = other.options_;
  replaces_ = other.replaces_;
  before_ = other.before_;
  file_ = std::move(other.file_);
  name_ = std::exchange(other.name_, {});
  return *this;
}

Result<AtomicTarget> AtomicTarget::make(Entry target, const WriteOptions& options) {
  AtomicTarget made(std::move(target), options);
  OUTPOST_CHECK_OK(made.look_at_target());
  OUTPOST_CHECK_OK(made.make_file());
  return made;
}

/// Where nothing is there any more, what was seen before goes on to hold.
Result<> AtomicTarget::look_at_target() {
  const auto status = os::status_at(target_.folder.get(), target_.name.c_str());
  if (!status && status.error() != ENOENT) return fail(file_error(status.error()));
  if (!status) return {};
  if (options_.exclusive) return fail(file_error(EEXIST));
  if (S_ISLNK(status->stx_mode)) return fail(file_error(ELOOP));
  if (!S_ISREG(status->stx_mode)) return fail(ErrorKind::invalid_input, "outpost.atomic needs a regular file");
  // A file that may not be written isn't replaced either, though the folder would allow it.
  if (const int error = os::write_access_at(target_.folder.get(), target_.name.c_str())) return fail(file_error(error));
  replaces_ = true;
  before_ = *status;
  return {};
}

Result<> AtomicTarget::make_file() {
  const unsigned mode = replaces_ || options_.mode ? owner_only : new_file;
  for (std::size_t tries = 1;; ++tries) {
    std::uint64_t random = 0;
    fill_random(std::as_writable_bytes(std::span(&random, 1)));
    std::string name = temporary_name(target_.name, random);
    auto made = os::create_at(target_.folder.get(), name.c_str(), O_RDWR | O_EXCL | O_NOFOLLOW, mode);
    if (made) {
      file_ = *std::move(made);
      name_ = std::move(name);
      return {};
    }
    if (made.error() != EEXIST || tries == limits::temporary_name_tries_max) return fail(file_error(made.error()));
  }
}

Result<> AtomicTarget::carry_over() {
  unsigned mode = before_.stx_mode & permission_bits;
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file_.get()));
  if (status.stx_uid != before_.stx_uid && !os::set_owner(file_.get(), before_.stx_uid, os::unchanged_owner)) {
    mode &= ~static_cast<unsigned>(S_ISUID);  // it would run as somebody else than before
  }
  if (status.stx_gid != before_.stx_gid && !os::set_owner(file_.get(), os::unchanged_owner, before_.stx_gid)) {
    mode &= ~static_cast<unsigned>(S_ISGID);
  }
  OUTPOST_CHECK_OK(carry_attributes());
  // Last: a change of owner takes bits away, and an access list sets some.
  OUTPOST_CHECK_SYSTEM(file_error, os::set_mode(file_.get(), options_.mode.value_or(mode)));
  return {};
}

Result<> AtomicTarget::carry_attributes() {
  const auto target =
      os::open_at(target_.folder.get(), target_.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  // Gone, or not to be read by us: then its attributes aren't either.
  if (!target && (target.error() == ENOENT || target.error() == EACCES)) return {};
  if (!target) return fail(file_error(target.error()));
  for (const std::string& name : OUTPOST_TRY_SYSTEM(file_error, os::attribute_names(target->get()))) {
    if (belongs_to_contents(name)) continue;
    const auto value = os::attribute(target->get(), name.c_str());
    if (!value && (value.error() == ENODATA || may_be_refused(name))) continue;
    if (!value) return fail(file_error(value.error()));
    const auto set = os::set_attribute(file_.get(), name.c_str(), *value);
    if (!set && !(may_be_refused(name) && is_refusal(set.error()))) return fail(file_error(set.error()));
  }
  return {};
}

Result<> AtomicTarget::replace_target() {
  Result<> finished = finish();
  if (!finished) remove();
  return finished;
}

Result<> AtomicTarget::finish() {
  OUTPOST_CHECK_OK(look_at_target());
  if (replaces_) {
    OUTPOST_CHECK_OK(carry_over());
  } else if (options_.mode) {
    OUTPOST_CHECK_SYSTEM(file_error, os::set_mode(file_.get(), *options_.mode));
  }
  // Without it a loss of power could leave an empty file under the old name.
  OUTPOST_CHECK_SYSTEM(file_error, os::flush_to_disk(file_.get()));
  const auto replace = options_.exclusive ? os::Replace::no : os::Replace::yes;
  OUTPOST_CHECK_SYSTEM(file_error, os::rename_at(target_.folder.get(), name_.c_str(), target_.folder.get(),
                                                 target_.name.c_str(), replace));
  name_.clear();
  if (options_.fsync) OUTPOST_CHECK_SYSTEM(file_error, os::flush_folder_to_disk(target_.folder.get()));
  return {};
}

void AtomicTarget::remove() {
  if (name_.empty()) return;
  (void)os::remove_file_at(target_.folder.get(), name_.c_str());
  name_.clear();
  file_.reset();
}

}  // namespace outpost::local
