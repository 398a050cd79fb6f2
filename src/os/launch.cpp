#include "os/launch.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace outpost::os {

void fill_standard_descriptors() {
  int fd = 0;
  do fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

bool is_ignored(int signal) {
  struct sigaction action;
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

Result<FileDescriptor> watch_heeded_signals(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return fail(ErrorKind::io, os_error_text(error));
  }
  FileDescriptor fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail(ErrorKind::io, os_error_text(errno));
  return fd;
}

}  // namespace outpost::os
