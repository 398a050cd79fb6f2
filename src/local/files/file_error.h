#pragma once

#include <string>

#include "base/result.h"

/// How the failures of file operations are told (filesystem 2). Any thread.
namespace outpost::local {

/// A failed system call, by its errno.
Error file_error(int error_number);
/// ``path `/x` is not a file``: a folder, FIFO, socket or device where only a regular file will do.
Error not_a_file(const std::string& path);
/// The root, where a path must have a last component.
Error no_entry_named();
/// The answer to what was given up (extensions 1.7).
Error request_cancelled();

}  // namespace outpost::local
