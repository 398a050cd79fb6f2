#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/system_result.h"

/// Names in folders: made, renamed, removed. A name is relative to the open `folder` and, unless it is said otherwise,
/// a link at its end is never followed. Blocks on a slow file system; any thread.
namespace outpost::os {

/// Opens with these flags of open(2), close on exec added; a new file gets `mode` less the umask.
SystemResult<FileDescriptor> create_at(int folder, const char* name, int flags, unsigned mode);
/// Mode 0777 less the umask.
SystemResult<> make_folder_at(int folder, const char* name);
SystemResult<> remove_file_at(int folder, const char* name);
SystemResult<> remove_folder_at(int folder, const char* name);
SystemResult<std::string> read_link_at(int folder, const char* name);
SystemResult<> make_link_at(const char* text, int folder, const char* name);

enum class Replace { yes, no };
/// One rename(2). With `Replace::no` an existing destination is EEXIST; where the file system can't promise that,
/// files are linked and unlinked, and for a folder it is looked first (it could replace only an empty one).
SystemResult<> rename_at(int from_folder, const char* from, int to_folder, const char* to, Replace replace);

/// The path by which the kernel knows an open file (/proc/self/fd); an error without /proc.
SystemResult<std::string> path_of(int fd);
/// Where something is mounted, in the notation of this process; none without /proc.
std::vector<std::string> mount_points();
/// What /proc/self/mountinfo says, taken apart.
std::vector<std::string> mount_points_in(std::string_view mountinfo);

}  // namespace outpost::os
