#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

namespace outpost::local {

/// fs/copy between absolute native paths (filesystem 5): a file with its contents, holes and permission bits, a link as
/// a link, a folder (only if `recursive`) merged into what is there.
///
/// A file onto itself, by whatever name, stays as it is. A file that fails to be copied is not left half: one that was
/// made for it is removed again, and where the file system can tell that the room is lacking, an existing one keeps
/// what it had. What was copied before a failure or a `stop` (which gives `cancelled`) stays. Renames meanwhile never
/// lead out of the source. Any thread; may block on a slow file system.
Result<> copy_path(const std::string& source, const std::string& destination, bool recursive,
                   const std::stop_token& stop);

}  // namespace outpost::local
