#include "os/wait.h"

#include <poll.h>

#include <cerrno>

namespace outpost::os {
namespace {

void wait_for(int fd, short events) {
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

void wait_until_readable(int fd) {
  wait_for(fd, POLLIN);
}

void wait_until_writable(int fd) {
  wait_for(fd, POLLOUT);
}

void wait_until_writable(int fd, std::chrono::milliseconds patience) {
  pollfd entry{.fd = fd, .events = POLLOUT, .revents = 0};
  // Interrupted or not: the caller looks for itself.
  (void)::poll(&entry, 1, static_cast<int>(patience.count()));
}

}  // namespace outpost::os
