#include "local/files/write_target.h"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <utility>

#include "local/files/file_error.h"
#include "os/file_entries.h"
#include "os/file_status.h"
#include "os/files.h"

namespace outpost::local {

namespace {

constexpr int without_waiting = O_NONBLOCK | O_NOCTTY;

Result<os::FileDescriptor> same_folder(int folder) {
  return OUTPOST_TRY_SYSTEM(file_error, os::open_at(folder, ".", O_PATH | O_DIRECTORY));
}

}  // namespace

void WriteTarget::remove_if_made() {
  if (!made) return;
  const auto ours = os::status_of(file.get());
  const auto there = os::status_at(made->folder.get(), made->name.c_str());
  if (!ours || !there || os::identity_of(*ours) != os::identity_of(*there)) return;
  (void)os::remove_file_at(made->folder.get(), made->name.c_str());
}

Result<WriteTarget> make_write_target(int folder, const char* name, int access, unsigned mode) {
  auto file =
      OUTPOST_TRY_SYSTEM(file_error, os::create_at(folder, name, access | O_EXCL | O_NOFOLLOW | without_waiting, mode));
  return WriteTarget{.file = std::move(file), .made = Entry{OUTPOST_TRY(same_folder(folder)), name}};
}

Result<WriteTarget> open_write_target(int folder, const char* name, int access, unsigned mode, bool follow_symlinks) {
  const int flags = access | without_waiting | (follow_symlinks ? 0 : O_NOFOLLOW);
  // Opening what is there comes first, and says what is the matter with it.
  auto existing = os::open_at(folder, name, flags);
  if (existing) return WriteTarget{.file = *std::move(existing), .made = std::nullopt};
  if (existing.error() != ENOENT) return fail(file_error(existing.error()));
  Entry entry{OUTPOST_TRY(same_folder(folder)), name};
  if (follow_symlinks) entry = OUTPOST_TRY(target_entry(std::move(entry)));
  auto made = os::create_at(entry.folder.get(), entry.name.c_str(), flags | O_EXCL | O_NOFOLLOW, mode);
  if (made) return WriteTarget{.file = *std::move(made), .made = std::move(entry)};
  if (made.error() != EEXIST) return fail(file_error(made.error()));
  // Somebody made it meanwhile.
  auto file = OUTPOST_TRY_SYSTEM(file_error, os::create_at(folder, name, flags, mode));
  return WriteTarget{.file = std::move(file), .made = std::nullopt};
}

}  // namespace outpost::local
