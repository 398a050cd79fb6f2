// R23: a write that is sent again, because nobody knows whether it arrived, is done once.
#include "resumed.h"

namespace outpost {

TEST_F(ResumeReport, R23ARepeatedWriteIsDoneOnceAlsoAcrossAResume) {
  client->start("p", {"/bin/cat"}, {.pipe_stdin = true});
  EXPECT_EQ(client->write("p", "A\n", "a"), wire::WriteStatus::accepted);
  EXPECT_EQ(client->write("p", "A\n", "a"), wire::WriteStatus::accepted);
  cut();
  resume();
  EXPECT_EQ(client->write("p", "A\n", "a"), wire::WriteStatus::accepted);
  EXPECT_EQ(client->write("p", "B\n", "b"), wire::WriteStatus::accepted);
  wire::CloseStdinParams no_more;
  no_more.process_id = "p";
  EXPECT_TRUE(client->call<wire::WriteResult>("outpost/process/closeStdin", no_more));
  client->wait_closed("p");
  EXPECT_EQ(text_of(read("p")), "A\nB\n");
}

}  // namespace outpost
