#include "os/features.h"

#include <linux/landlock.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "os/fd.h"
#include "os/trial.h"

namespace outpost::os {

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

int pidfd_error() {
  const FileDescriptor self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  return self ? 0 : errno;
}

Landlock landlock() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 0) return {.abi = 0, .error = errno};
  return {.abi = static_cast<int>(abi)};
}

int user_namespace_error() {
  return error_in_child([] { return ::unshare(CLONE_NEWUSER) == 0 ? 0 : errno; });
}

std::optional<std::string> find_program(const std::string& name) {
  const char* value = std::getenv("PATH");
  std::string_view path = value == nullptr ? "/usr/local/bin:/usr/bin:/bin" : value;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    std::string file = std::string(path.substr(0, end)) + "/" + name;
    struct stat found{};
    if (::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(file.c_str(), X_OK) == 0) return file;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return std::nullopt;
}

}  // namespace outpost::os
