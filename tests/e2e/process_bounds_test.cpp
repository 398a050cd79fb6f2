// What one client can make of processes and their input stays within the bounds that are told.
#include <gtest/gtest.h>

#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::TestClient;
using testing::TestServer;

TEST(ProcessBounds, FiveThousandStartsMeetTheBoundsAndTheServerLives) {
  TestServer server({"--max-processes-per-session", "40", "--max-processes", "60"});
  TestClient first(server.port()), second(server.port());
  first.handshake();
  second.handshake();
  std::map<std::string, int> refusals;
  int started = 0;
  for (TestClient* client : {&first, &second}) {
    for (int i = 0; i < 2500; ++i) {
      const auto outcome = client->call<wire::StartResult>(
          "process/start", client->start_params(std::to_string(i), {"/bin/sleep", "1000"}));
      if (outcome)
        ++started;
      else
        ++refusals[outcome.error().message];
    }
  }
  EXPECT_EQ(started, 60);
  EXPECT_EQ(refusals["at most 40 processes may run in one session"], 2460);
  EXPECT_EQ(refusals["at most 60 processes may run on this server"], 2480);
  EXPECT_EQ(refusals.size(), 2u);
  // One that ends makes room for one.
  first.ask("process/terminate", R"({"processId":"0"})");
  first.wait_closed("0");
  first.start("next", {"/bin/true"});
}

TEST(ProcessBounds, InputThatNobodyReadsIsBounded) {
  TestServer server;
  const pid_t pid = server.server_pid();
  TestClient client(server.port());
  client.handshake();
  client.start("p", {"/bin/sleep", "1000"}, {.pipe_stdin = true});
  const std::size_t before = testing::status_kib(pid, "VmRSS");
  const std::string chunk(1024 * 1024 / 3 * 4, 'A');
  bool all = true;
  for (int i = 0; i < 96 && all; ++i) {
    all = client.try_send(R"({"id":)" + std::to_string(1000 + i) +
                          R"(,"method":"process/write","params":{"processId":"p","writeId":")" + std::to_string(i) +
                          R"(","chunk":")" + chunk + R"("}})");
  }
  EXPECT_FALSE(all) << "the server stopped to read";
#if !__has_feature(address_sanitizer)  // which keeps what was freed for a while
  EXPECT_LT(testing::status_kib(pid, "VmHWM"), before + 72 * 1024) << "16 MiB of stdin, 32 MiB in flight, and buffers";
#else
  EXPECT_GT(before, 0u);
#endif
  // Nobody else is harmed.
  TestClient other(server.port());
  other.handshake();
  EXPECT_EQ(other.run_shell("q", "echo fine").out, "fine\n");
}

/// In a PID namespace the guard is the init that everything falls to.
TEST(ProcessBounds, AsPidOneItReapsEverything) {
  const std::string script = "exec unshare --pid --fork --mount-proc " + std::string(OUTPOST_BINARY) +
                             " serve --listen ws://127.0.0.1:0 --containment subreaper";
  os::SpawnRequest request = os::testing::request_for({"/bin/sh", "-c", script});
  const os::FileDescriptor errors = testing::memory_file();
  request.stderr_fd = *os::duplicate(errors.get());
  const os::testing::Running running = os::testing::start(std::move(request));
  const std::string url = os::testing::read_line(running.output.get());
  if (url.empty()) GTEST_SKIP() << "no PID namespace here: " << testing::content_of(errors);
  TestClient client(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  client.handshake();
  client.run_shell("p", "for i in $(seq 60); do ((sleep 0.1; exit 0) &); done");
  // Zombies of this namespace are looked for until there are none, or a failing test gives up.
  std::string zombies = "unknown";
  for (int look = 0; look < 300 && !zombies.empty(); ++look) {
    const std::string id = "look" + std::to_string(look);
    zombies = client.run_shell(id, "sleep 0.1; grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null; true").out;
  }
  EXPECT_EQ(zombies, "");
  const std::string init = client.run_shell("init", "tr '\\0' ' ' < /proc/1/cmdline").out;
  EXPECT_NE(init.find("outpost"), std::string::npos) << init;
  os::kill_group(running.child.pid, SIGKILL);
  EXPECT_EQ(os::testing::wait_for(running.child).wire_code(), 137);
}

}  // namespace
}  // namespace outpost
