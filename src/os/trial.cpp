#include "os/trial.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace outpost::os {

int error_in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  // The exit status carries errno, which fits in it.
  if (child == 0) ::_exit(body());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

}  // namespace outpost::os
