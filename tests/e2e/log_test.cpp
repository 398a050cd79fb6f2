#include <gtest/gtest.h>

#include <thread>

#include "support/program.h"
#include "support/signed_token.h"
#include "support/temporary_folder.h"
#include "support/test_client.h"
#include "wire/json_parser.h"

namespace outpost {
namespace {

using testing::RawSocket;
using testing::TestClient;
using testing::TestServer;

/// A day in the life of a server: what may be logged and what may not.
void live(TestServer& server, const std::string& good) {
  {
    RawSocket stranger(server.port());
    stranger.send(testing::upgrade_request("Authorization: Bearer wrong-token\r\n"));
    EXPECT_TRUE(stranger.receive_until("\r\n\r\n").starts_with("HTTP/1.1 401 "));
  }
  TestClient client(server.port(), "Authorization: Bearer " + good + "\r\n");
  client.handshake();
  EXPECT_EQ(client.run_shell("secret-process", "echo secret-output; exit 3 # secret-argument").out, "secret-output\n");
  client.send("secret-nonsense");
  client.close();
  server.guard().signal(SIGTERM);
  EXPECT_EQ(server.guard().wait().wire_code(), 0);
}

TEST(ServeLog, ALineAnEventAndNoSecretAtAnyLevel) {
  const testing::TemporaryFolder folder;
  const std::string key = "secret-key-0123456789abcdef0123456789abcdef";
  const std::string token =
      testing::signed_token(R"({"exp":99999999999,"iss":"secret-issuer","sub":"secret-sub"})", key);
  for (const std::string format : {"text", "json"}) {
    TestServer server({"--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", folder.file("key", key),
                       "--log-level", "trace", "--log-format", format});
    live(server, token);
    const std::string log = server.guard().errors();
    for (const std::string secret : {key.substr(0, 20), token, std::string("secret-"), std::string("wrong-token")}) {
      EXPECT_FALSE(log.contains(secret)) << secret << ": " << log;
    }
    for (const std::string event : {"listening", "request refused", "connection opened", "malformed message",
                                    "connection closed", "the server ends"}) {
      EXPECT_TRUE(log.contains(event)) << event << ": " << log;
    }
    EXPECT_TRUE(log.contains("invalid websocket jwt"));
    if (format == "text") continue;
    for (std::string_view rest = log; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      wire::JsonDocument line;
      ASSERT_TRUE(wire::parse_json(rest.substr(0, rest.find('\n')), line)) << rest;
      EXPECT_TRUE(line.root().find("event").is_string());
    }
  }
}

TEST(ServeLog, TheLevelDecides) {
  TestServer quiet({"--log-level", "error"});
  {
    TestClient client(quiet.port());
    client.handshake();
  }
  quiet.guard().signal(SIGTERM);
  EXPECT_EQ(quiet.guard().wait().wire_code(), 0);
  EXPECT_EQ(quiet.guard().errors(), "");
}

/// Fills a pipe that nobody reads.
TEST(ServeLog, AStderrThatNobodyReadsHoldsUpNobody) {
  os::Pipe errors = *os::make_pipe(os::Blocking::yes, os::Blocking::no);
  const std::string page(4096, 'x');
  while (os::write_some(errors.write.get(), as_bytes(page)).status == os::IoCount::ok) {
  }
  os::SpawnRequest request =
      os::testing::request_for({OUTPOST_BINARY, "serve", "--listen", "ws://127.0.0.1:0", "--log-level", "trace"});
  request.stderr_fd = std::move(errors.write);
  os::testing::Running running = os::testing::start(std::move(request));
  const std::string url = testing::read_line(running.output.get());
  const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  for (int i = 0; i < 300; ++i) {
    TestClient client(port);
    client.handshake();
    client.send("nonsense");
  }
  TestClient client(port);
  client.handshake();
  EXPECT_EQ(client.run_shell("p", "echo hello").out, "hello\n");
  os::signal_process(running.child.pidfd.get(), SIGTERM);
  EXPECT_EQ(os::testing::wait_for(running.child).wire_code(), 0);
}

}  // namespace
}  // namespace outpost
