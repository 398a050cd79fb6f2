// R12, R13: children start with every signal at its default and none blocked, whatever the server does with them.
#include "report.h"

namespace outpost {

TEST_F(Report, R12BrokenPipeEndsTheWriter) {
  EXPECT_EQ(client.run_shell("p", "yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}").out, "141\n");
}

TEST_F(Report, R13NoSignalIsBlockedOrIgnored) {
  const auto& process = client.run_shell("p", "grep -E '^Sig(Blk|Ign)' /proc/self/status");
  EXPECT_EQ(process.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

}  // namespace outpost
