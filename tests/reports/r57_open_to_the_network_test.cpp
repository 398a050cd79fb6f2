// R57: a server that others can reach must not run commands for anyone unless told so.
#include "report.h"

namespace outpost {

TEST(ReportR57, R57ReachableAddressWithoutAuthenticationIsRefused) {
  for (const std::string address : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
    const testing::ProgramResult result = testing::run_program({"serve", "--listen", "ws://" + address});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors,
              "Error: refusing to listen on " + address +
                  " without authentication; use --ws-auth, or --allow-unauthenticated if other protection "
                  "exists\n");
  }
}

}  // namespace outpost
