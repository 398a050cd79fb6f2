// R38: a slow request must not hold up the others of its connection.
#include "report.h"
#include "wire/protocol/files.h"

namespace outpost {

TEST_F(Report, R38AWaitingReadDelaysNothing) {
  client.start("p", {"/bin/sleep", "1000"});
  wire::ReadParams read;
  read.process_id = "p";
  read.wait_ms = 3'600'000;
  const std::int64_t waiting = client.request("process/read", read);
  wire::GetMetadataParams metadata;
  metadata.path.text = "file:///";
  EXPECT_TRUE(client.call<wire::GetMetadataResult>("fs/getMetadata", metadata));
  EXPECT_EQ(client.run_shell("q", "echo on").out, "on\n");
  // The read was under way all the while, and ends with the process.
  wire::TerminateParams terminate;
  terminate.process_id = "p";
  EXPECT_TRUE(client.call<wire::TerminateResult>("process/terminate", terminate));
  EXPECT_NE(client.answer(waiting).find(R"("exited":true,"exitCode":137)"), std::string::npos)
      << client.answer(waiting);
}

}  // namespace outpost
