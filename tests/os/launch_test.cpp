#include "os/launch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "os/in_child.h"
#include "os/signals.h"

namespace outpost::os {
namespace {

using testing::in_child;

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
