// R34: a client that is gone for good doesn't leave its commands running for ever; one that comes back in time finds
// them.
#include "resumed.h"

namespace outpost {
namespace {

struct ShortRetention : ResumeReport {
  ShortRetention() : ResumeReport({"--session-retention", "0.5"}) {}
};

pid_t pid_of_sleeper(testing::TestClient& client) {
  client.shell("p", "echo $$; exec sleep 611");
  client.wait_until([&] { return client.followed("p").out.ends_with("\n"); });
  return static_cast<pid_t>(std::stol(client.followed("p").out));
}

}  // namespace

TEST_F(ShortRetention, R34ADetachedSessionEndsWithItsProcesses) {
  const os::FileDescriptor process = testing::open_process(pid_of_sleeper(*client));
  cut();
  EXPECT_TRUE(testing::wait_for_death(process));
  client = std::make_unique<testing::TestClient>(server.port());
  wire::InitializeParams params = testing::TestClient::initialize_params();
  params.resume_session_id = session;
  const auto resumed = client->call<wire::InitializeResult>("initialize", params);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().message, "unknown session id " + session);
}

TEST_F(ResumeReport, R34NotBeforeItsTime) {
  pid_of_sleeper(*client);
  cut();
  resume();
  EXPECT_FALSE(read("p").exited);
  EXPECT_TRUE(terminate("p"));
}

}  // namespace outpost
