#include "os/signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace outpost::os {

void ignore_broken_pipes() {
  ::signal(SIGPIPE, SIG_IGN);
}

Result<FileDescriptor> watch_signals(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return fail(ErrorKind::io, os_error_text(error));
  }
  FileDescriptor fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail(ErrorKind::io, os_error_text(errno));
  return fd;
}

std::optional<int> next_signal(int signal_fd) {
  signalfd_siginfo info;
  ssize_t got = 0;
  do got = ::read(signal_fd, &info, sizeof info);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

AllSignalsBlocked::AllSignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

AllSignalsBlocked::~AllSignalsBlocked() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace outpost::os
