#include "os/launch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "os/signals.h"

namespace outpost::os {
namespace {

/// Runs `body` in a child of this test, which it may spoil; true if it returned true.
bool in_child(const std::function<bool()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body() ? 0 : 1);
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status == 0;
}

TEST(Launch, ClosedStandardDescriptorsAreFilledAndOthersLeftAlone) {
  EXPECT_TRUE(in_child([] {
    ::close(0);
    ::close(2);
    const int output = ::dup(1);
    if (output != 0) return false;  // the gap that is the fault
    ::close(0);
    fill_standard_descriptors();
    char byte = 0;
    return ::read(0, &byte, 1) == 0 && ::write(2, "x", 1) == 1 && ::fcntl(1, F_GETFD) == 0 && ::open("/", O_RDONLY) > 2;
  }));
}

TEST(Launch, IgnoredSignalsStayIgnoredAndOthersAreTold) {
  EXPECT_TRUE(in_child([] {
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGTERM, SIG_DFL);
    if (!is_ignored(SIGHUP) || is_ignored(SIGTERM)) return false;
    const auto watched = watch_heeded_signals({SIGHUP, SIGTERM});
    ::raise(SIGHUP);
    ::raise(SIGTERM);
    return watched && next_signal(watched->get()) == SIGTERM && !next_signal(watched->get());
  }));
}

}  // namespace
}  // namespace outpost::os
