#include <gtest/gtest.h>

#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::Program;
using testing::ProgramResult;
using testing::run_program;
using testing::TestServer;

TEST(ServeCommandLine, PrintsItsAddressAndNothingElse) {
  TestServer server;
  EXPECT_NE(server.port(), 0);
  server.guard().signal(SIGTERM);
  EXPECT_EQ(server.guard().rest(), "");
  EXPECT_EQ(server.guard().wait().wire_code(), 0);
}

TEST(ServeCommandLine, ListensOnALoopbackAddressByItself) {
  Program program({"serve"});
  EXPECT_TRUE(program.line().starts_with("ws://127.0.0.1:"));
}

TEST(ServeCommandLine, IsCalledExecServerToo) {
  Program program({"exec-server"});
  EXPECT_TRUE(program.line().starts_with("ws://127.0.0.1:"));
}

TEST(ServeCommandLine, PrintsEachAddressInTheOrderGiven) {
  Program program({"serve", "--listen", "ws://127.0.0.2:0", "--listen", "ws://127.0.0.1:0"});
  EXPECT_TRUE(program.line().starts_with("ws://127.0.0.2:"));
  EXPECT_TRUE(program.line().starts_with("ws://127.0.0.1:"));
}

TEST(ServeCommandLine, PortInUseIsSaid) {
  TestServer server;
  const ProgramResult result = run_program({"serve", "--listen", server.url()});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(result.errors.starts_with("Error: ")) << result.errors;
  EXPECT_NE(result.errors.find("Address in use (os error 98)"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(server.url()), std::string::npos) << result.errors;
}

TEST(ServeCommandLine, RefusesAddressesThatAreNone) {
  for (const std::string url :
       {"ws://localhost:0", "ws://127.0.0.1", "ws://127.0.0.1:0/", "ws://127.0.0.1:65536", "ws://127.0.0.1:-1",
        "ws://127.0.0.1:x", "ws://[::1]", "ws://[::1:0", "ws://::1:0", "ws://:0", "ws://"}) {
    const ProgramResult result = run_program({"serve", "--listen", url});
    EXPECT_EQ(result.status, 1) << url;
    EXPECT_EQ(result.output, "") << url;
    EXPECT_TRUE(
        result.errors.starts_with("Error: invalid websocket --listen URL `" + url + "`; expected `ws://IP:PORT`"))
        << result.errors;
  }
}

TEST(ServeCommandLine, RefusesOtherKindsOfAddress) {
  for (const std::string url : {"http://127.0.0.1:0", "tcp://127.0.0.1:0", "127.0.0.1:0", "WS://127.0.0.1:0"}) {
    const ProgramResult result = run_program({"serve", "--listen", url});
    EXPECT_EQ(result.status, 1) << url;
    EXPECT_TRUE(result.errors.starts_with("Error: unsupported --listen URL `" + url + "`; expected `ws://IP:PORT`"))
        << result.errors;
  }
}

TEST(ServeCommandLine, OptionsThatDoNotFitTogetherAreRefused) {
  const std::string digest(64, 'a');
  struct {
    std::vector<std::string> arguments;
    std::string error;
  } const rows[] = {
      {{"--listen", "stdio", "--listen", "ws://127.0.0.1:0"}, "--listen stdio can't be combined with another --listen"},
      {{"--listen", "stdio", "--ws-auth", "capability-token", "--ws-token-sha256", digest},
       "WebSocket auth requires a WebSocket listener, not stdio"},
      {{"--listen", "fd://"}, "--listen fd:// needs sockets of a service manager (LISTEN_FDS)"},
      {{"--listen", "wss://127.0.0.1:0"}, "wss:// needs both --tls-cert and --tls-key"},
      {{"--tls-cert", "/x"}, "wss:// needs both --tls-cert and --tls-key"},
      {{"--tls-cert", "/x", "--tls-key", "/x"}, "--tls-cert and --tls-key need a wss:// or fd:// listener"},
      {{"--listen", "wss://127.0.0.1:0", "--tls-cert", "/nonexistent", "--tls-key", "/nonexistent"},
       "cannot use the TLS certificate /nonexistent: No such file or directory (os error 2)"},
      {{"--listen", "wss://0.0.0.0:0", "--tls-cert", "/x", "--tls-key", "/x"}, "cannot use the TLS certificate /x: "},
      {{"--listen", "unix:///nonexistent/s"},
       "cannot listen on unix:///nonexistent/s: No such file or directory (os error 2)"},
      {{"--ws-issuer", "x"},
       "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> arguments = row.arguments;
    arguments.insert(arguments.begin(), "serve");
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 1) << row.error;
    EXPECT_EQ(result.output, "");
    EXPECT_TRUE(result.errors.starts_with("Error: " + row.error)) << result.errors;
  }
}

TEST(ServeCommandLine, ArgumentsThatDoNotParseAreNamed) {
  struct {
    std::vector<std::string> arguments;
    std::string named;
  } const rows[] = {
      {{"serve", "--no-such"}, "--no-such"},
      {{"serve", "stray"}, "stray"},
      {{"serve", "--listen"}, "--listen"},
      {{"serve", "--concurrent-requests", "0"}, "--concurrent-requests"},
      {{"serve", "--concurrent-requests", "-1"}, "--concurrent-requests"},
      {{"serve", "--concurrent-requests", "x"}, "--concurrent-requests"},
      {{"serve", "--loops", "0"}, "--loops"},
      {{"serve", "--loops", "257"}, "--loops"},
      {{"serve", "--session-retention", "-1"}, "--session-retention"},
      {{"serve", "--session-retention", "nan"}, "--session-retention"},
      {{"serve", "--session-retention", "10", "--session-retention-max", "9"}, "--session-retention-max"},
      {{"serve", "--max-sessions", "0"}, "--max-sessions"},
      {{"serve", "--handshake-timeout", "1s"}, "--handshake-timeout"},
      {{"serve", "--ws-auth", "nope"}, "--ws-auth"},
      {{"serve", "--ws-max-clock-skew-seconds", "-1"}, "--ws-max-clock-skew-seconds"},
      {{"serve", "--exit-on-stdin-close"}, "--remote"},
      {{"serve", "--log-level", "loud"}, "--log-level"},
      {{"serve", "--log-format", "xml"}, "--log-format"},
      {{"serve", "--max-pending-connections", "0"}, "--max-pending-connections"},
      {{"serve", "--handshake-timeout", "3601"}, "--handshake-timeout"},
      {{"run", "--", "true"}, "--url"},
      {{"run", "--url", "ws://127.0.0.1:1"}, "command"},
      {{"no-such-verb"}, "no-such-verb"},
      {{}, "subcommand"},
  };
  for (const auto& row : rows) {
    const ProgramResult result = run_program(row.arguments);
    EXPECT_EQ(result.status, 2) << row.named;
    EXPECT_EQ(result.output, "") << row.named;
    EXPECT_NE(result.errors.find(row.named), std::string::npos) << result.errors;
  }
}

TEST(ServeCommandLine, HelpAndVersionGoToStdout) {
  for (const std::string flag : {"--help", "--version"}) {
    const ProgramResult result = run_program({flag});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find(flag == "--help" ? "serve" : "outpost "), std::string::npos) << result.output;
    EXPECT_EQ(result.errors, "");
  }
}

TEST(ServeCommandLine, AcceptsAReachableAddressWhenToldSo) {
  Program program({"serve", "--listen", "ws://0.0.0.0:0", "--allow-unauthenticated"});
  EXPECT_TRUE(program.line().starts_with("ws://0.0.0.0:"));
}

}  // namespace
}  // namespace outpost
