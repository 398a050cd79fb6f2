#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/system_result.h"

/// Mode, owner, times and extended attributes. Blocks on a slow file system; any thread.
namespace outpost::os {

enum class Links { follow, keep };

SystemResult<> set_mode(int fd, unsigned mode);
/// With `Links::keep` a link is ENOTSUP.
SystemResult<> set_mode_at(int folder, const char* name, unsigned mode, Links links);
/// `unchanged_owner` for a user or group leaves it as it is.
inline constexpr auto unchanged_owner = static_cast<std::uint32_t>(-1);
SystemResult<> set_owner(int fd, std::uint32_t user, std::uint32_t group);
/// The time of the last change of the contents, in milliseconds since 1970, negative for before.
SystemResult<> set_modified_at(int folder, const char* name, std::int64_t milliseconds, Links links);

/// 0 if this process may write to the entry, else errno; a link isn't followed.
int write_access_at(int folder, const char* name);

/// Names of extended attributes; empty where the file system has none.
SystemResult<std::vector<std::string>> attribute_names(int fd);
SystemResult<std::string> attribute(int fd, const char* name);
SystemResult<> set_attribute(int fd, const char* name, const std::string& value);

}  // namespace outpost::os
