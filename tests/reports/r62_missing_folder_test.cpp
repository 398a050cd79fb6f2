// R62: a missing working folder is an error, never silently another folder.
#include "report.h"

namespace outpost {

TEST_F(Report, R62AMissingFolderIsAnError) {
  for (const bool tty : {false, true}) {
    const auto started = client.call<wire::StartResult>(
        "process/start",
        client.start_params("p", {"/bin/true"}, {.env = {{"HOME", "/"}}, .cwd = "file:///no/such/dir", .tty = tty}));
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message, "No such file or directory (os error 2)") << tty;
    EXPECT_EQ(started.error().kind, ErrorKind::spawn_not_found) << tty;
  }
}

}  // namespace outpost
