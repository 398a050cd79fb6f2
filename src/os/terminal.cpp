#include "os/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace outpost::os {
namespace {

std::unexpected<Error> failed() {
  return fail(ErrorKind::io, os_error_text(errno));
}

}  // namespace

Result<Terminal> open_terminal(TerminalSize size) {
  Terminal terminal;
  // posix_openpt takes these flags on Linux and passes them on.
  terminal.master = FileDescriptor(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!terminal.master) return failed();
  if (::unlockpt(terminal.master.get()) != 0) return failed();
  // The other end by its descriptor: its path may be of another mount namespace.
  terminal.slave = FileDescriptor(::ioctl(terminal.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.slave) return failed();
  if (!resize_terminal(terminal.master.get(), size)) return failed();
  return terminal;
}

bool resize_terminal(int master, TerminalSize size) {
  const winsize window{.ws_row = size.rows, .ws_col = size.cols, .ws_xpixel = 0, .ws_ypixel = 0};
  return ::ioctl(master, TIOCSWINSZ, &window) == 0;
}

bool signal_foreground(int master, int signal) {
  pid_t group = 0;
  if (::ioctl(master, TIOCGPGRP, &group) != 0) return false;
  // 0 and 1 would mean our own group and everybody.
  return group > 1 && ::kill(-group, signal) == 0;
}

}  // namespace outpost::os
