#include "os/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace outpost::os {

void fill_random(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    // Nothing safe can go on without random bytes, and the kernel refuses them only where the call is forbidden.
    OUTPOST_CHECK(got > 0);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace outpost::os
