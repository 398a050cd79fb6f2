#pragma once

#include <optional>
#include <string>

namespace outpost::os {

/// `6.1.0-18-amd64`, as uname(2) says.
std::string kernel_release();

/// Whether processes can be held by descriptors (pidfd_open(2), Linux 5.3); else errno.
int pidfd_error();

/// The Landlock ABI that the kernel offers (landlock(7)); 0 with `error` set for none.
struct Landlock {
  int abi = 0;
  int error = 0;
};
Landlock landlock();

/// 0 if this user may make user namespaces (user_namespaces(7)), else errno. Forks a child for a moment: only where
/// there are no other threads.
int user_namespace_error();

/// The first executable file of that name in PATH; none if there is none.
std::optional<std::string> find_program(const std::string& name);

}  // namespace outpost::os
