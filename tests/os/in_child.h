#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace outpost::os::testing {

/// Runs `body` in a child of this test, which it may spoil; true if it returned true.
inline bool in_child(const std::function<bool()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body() ? 0 : 1);
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status == 0;
}

}  // namespace outpost::os::testing
