#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace outpost::os {

/// What the password database says of the user that this process runs as. Texts may be empty.
struct UserEntry {
  std::string name;
  std::string home;
  std::string shell;
};

/// Nothing if the database has no such user (an empty root, a number made up by a container). Reads files: keep it off
/// a busy loop. Any thread.
std::optional<UserEntry> current_user();

/// The absolute path of the current folder.
Result<std::string> current_directory();

/// The name of this machine; empty if the kernel tells none.
std::string host_name();

/// In the static executable: users and hosts come from files (and DNS) alone, because modules of the host's C library
/// that its nsswitch.conf names can't be loaded safely. Elsewhere it does nothing. Call once, at the start of `main`.
void configure_name_services();

}  // namespace outpost::os
