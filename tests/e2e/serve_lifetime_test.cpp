#include <gtest/gtest.h>

#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::TestClient;
using testing::TestServer;

/// A server and a client whose processes try to get away.
struct BusyServer {
  BusyServer() : client(server.port()), server_process(testing::open_process(server.server_pid())) {
    client.handshake();
    client.shell("plain", "echo $$; sleep 1000");
    client.shell("escaped", "(setsid bash -c 'trap \"\" HUP TERM INT; echo $$; sleep 1000' &); sleep 1000");
    client.shell("orphan", "(setsid bash -c 'echo $$; sleep 1000' &)");
    for (const char* id : {"plain", "escaped", "orphan"}) {
      client.wait_until([&] { return client.followed(id).out.ends_with("\n"); });
      processes.push_back(testing::open_process(static_cast<pid_t>(std::stol(client.followed(id).out))));
    }
    // What a death leaves is told from what had ended before.
    client.wait_until([&] { return client.followed("orphan").exit_code.has_value(); });
  }
  void expect_nothing_left() {
    for (const auto& process : processes) EXPECT_TRUE(testing::wait_for_death(process));
    EXPECT_TRUE(testing::wait_for_death(server_process));
    // Everything that it started has its stdout, in effect: the end of that is the end of all.
    EXPECT_EQ(server.guard().rest(), "");
  }

  TestServer server{{"--log-level", "warn"}};
  TestClient client;
  os::FileDescriptor server_process;
  std::vector<os::FileDescriptor> processes;
};

class ServeSignal : public ::testing::TestWithParam<int> {};

TEST_P(ServeSignal, EndsItWithStatusZeroAndNothingLeft) {
  BusyServer busy;
  busy.server.guard().signal(GetParam());
  busy.client.wait_end();
  busy.expect_nothing_left();
  EXPECT_EQ(busy.server.guard().wait().wire_code(), 0);
  EXPECT_EQ(busy.server.guard().errors(), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, ServeSignal, ::testing::Values(SIGTERM, SIGINT));

TEST(ServeLifetime, AServerThatHangsIsKilledByItsGuard) {
  TestServer server;
  const pid_t pid = server.server_pid();
  const auto process = testing::open_process(pid);
  ::kill(pid, SIGSTOP);
  server.guard().signal(SIGTERM);
  EXPECT_TRUE(testing::wait_for_death(process));
  EXPECT_EQ(server.guard().wait().wire_code(), 137);
}

/// Starts that are under way answer to loops that are about to end.
TEST(ServeLifetime, EndsWithStatusZeroWhileStartsAreQueued) {
  for (const char* loops : {"1", "4"}) {
    TestServer server({"--loops", loops, "--log-level", "warn"});
    TestClient client(server.port());
    client.handshake();
    for (int i = 0; i < 900; ++i) {
      client.request("process/start", client.start_params(std::to_string(i), {"/bin/true"}));
    }
    client.answer(3);
    server.guard().signal(SIGTERM);
    EXPECT_EQ(server.guard().wait().wire_code(), 0) << loops;
    EXPECT_EQ(server.guard().errors(), "");
  }
}

TEST(ServeLifetime, EndsWithSeveralLoopsAsWell) {
  TestServer server({"--loops", "4"});
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
    clients.back()->handshake();
    clients.back()->start("p", {"/bin/sleep", "1000"});
  }
  server.guard().signal(SIGTERM);
  for (const auto& client : clients) client->wait_end();
  EXPECT_EQ(server.guard().rest(), "");
  EXPECT_EQ(server.guard().wait().wire_code(), 0);
}

TEST(ServeLifetime, DeathOfTheGuardEndsServerAndProcesses) {
  BusyServer busy;
  busy.server.guard().signal(SIGKILL);
  busy.expect_nothing_left();
  EXPECT_EQ(busy.server.guard().wait().signal, SIGKILL);
}

TEST(ServeLifetime, DeathOfTheServerLeavesNothing) {
  BusyServer busy;
  os::signal_process(busy.server_process.get(), SIGKILL);
  busy.expect_nothing_left();
  EXPECT_EQ(busy.server.guard().wait().wire_code(), 128 + SIGKILL);
}

TEST(ServeLifetime, DetachedSessionsEndWithTheServerToo) {
  TestServer server;
  TestClient client(server.port());
  client.handshake();
  client.shell("p", "echo $$; sleep 1000");
  client.wait_until([&] { return client.followed("p").out.ends_with("\n"); });
  const auto process = testing::open_process(static_cast<pid_t>(std::stol(client.followed("p").out)));
  client.close();
  server.guard().signal(SIGTERM);
  EXPECT_TRUE(testing::wait_for_death(process));
  EXPECT_EQ(server.guard().wait().wire_code(), 0);
}

TEST(ServeLifetime, SessionNobodyComesBackToEndsWithItsProcesses) {
  TestServer server({"--session-retention", "0.05"});
  TestClient client(server.port());
  client.handshake();
  client.shell("p", "echo $$; sleep 1000");
  client.wait_until([&] { return client.followed("p").out.ends_with("\n"); });
  const auto process = testing::open_process(static_cast<pid_t>(std::stol(client.followed("p").out)));
  client.close();
  EXPECT_TRUE(testing::wait_for_death(process));
}

TEST(ServeLifetime, HalfOpenUpgradesDoNotKeepAClientOut) {
  TestServer server({"--max-pending-connections", "8"});
  std::vector<std::unique_ptr<testing::RawSocket>> silent;
  for (int i = 0; i < 40; ++i) {
    silent.push_back(std::make_unique<testing::RawSocket>(server.port()));
    if (i % 2 == 0) silent.back()->send("GET / HTTP/1.1\r\nHost: ");
  }
  TestClient client(server.port());
  client.handshake();
  EXPECT_EQ(client.run_shell("p", "echo here").out, "here\n");
  // The oldest made room; the newest still may go on.
  EXPECT_EQ(silent.front()->receive_until("\r\n\r\n"), "");
  silent.back()->send(testing::upgrade_request());
  EXPECT_TRUE(silent.back()->receive_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
}

class ServeResume : public ::testing::TestWithParam<const char*> {};

TEST_P(ServeResume, FindsItsProcessAfterADrop) {
  TestServer server({"--loops", GetParam()});
  TestClient first(server.port());
  const std::string id = first.handshake();
  first.shell("p", "read line; echo got $line", {.pipe_stdin = true});
  first.close();
  TestClient second(server.port());
  wire::InitializeParams params = TestClient::initialize_params();
  params.resume_session_id = id;
  // The server may not have seen the end of the first one yet.
  auto resumed = second.call<wire::InitializeResult>("initialize", params);
  while (!resumed && resumed.error().kind == ErrorKind::session_attached) {
    resumed = second.call<wire::InitializeResult>("initialize", params);
  }
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->session_id, id);
  second.send(R"({"method":"initialized"})");
  EXPECT_EQ(second.write("p", "x\n", "w"), wire::WriteStatus::accepted);
  EXPECT_EQ(second.wait_closed("p").out, "got x\n");
}

// With several loops the second connection has to find the one of the session.
INSTANTIATE_TEST_SUITE_P(Loops, ServeResume, ::testing::Values("1", "2", "4"));

}  // namespace
}  // namespace outpost
