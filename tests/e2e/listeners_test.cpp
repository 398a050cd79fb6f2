#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "os/socket.h"
#include "support/program.h"
#include "support/temporary_folder.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::Program;
using testing::ProgramResult;
using testing::RawSocket;
using testing::run_program;
using testing::TemporaryFolder;
using testing::TestClient;
using testing::TestServer;

std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}
void expect_ready(std::uint16_t port) {
  RawSocket socket(port);
  socket.send("GET /readyz HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(socket.receive_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
}
sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}
/// What a server answers to `request` on a unix socket, up to the end of the head.
std::string ask_unix(const std::string& path, const std::string& request) {
  const os::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = unix_address(path);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(os::write_some(socket.get(), as_bytes(request)).bytes, request.size());
  std::string text;
  std::byte next{};
  while (!text.ends_with("\r\n\r\n") && testing::wait_readable(socket.get())) {
    if (os::read_some(socket.get(), {&next, 1}).status != os::IoCount::ok) break;
    text += static_cast<char>(next);
  }
  return text;
}

TEST(Listeners, SeveralArePrintedInTheOrderGivenAndAllAnswer) {
  const TemporaryFolder folder;
  const std::string path = folder.path("s.sock");
  Program program({"serve", "--listen", "ws://127.0.0.1:0", "--listen", "unix://" + path, "--listen", "ws://[::1]:0"});
  const std::string first = program.line();
  EXPECT_TRUE(first.starts_with("ws://127.0.0.1:"));
  EXPECT_EQ(program.line(), "unix://" + path);
  EXPECT_TRUE(program.line().starts_with("ws://[::1]:"));
  expect_ready(port_of(first));
  EXPECT_TRUE(ask_unix(path, testing::upgrade_request()).starts_with("HTTP/1.1 101 "));
  EXPECT_TRUE(ask_unix(path, testing::upgrade_request("Origin: x\r\n")).starts_with("HTTP/1.1 403 "));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 0);
  EXPECT_FALSE(std::filesystem::exists(path)) << "removed at the end";
}

TEST(Listeners, OneThatCannotBeOpenedIsTheEndOfAll) {
  const TemporaryFolder folder;
  const std::string path = folder.path("s.sock");
  TestServer server;
  const ProgramResult result = run_program({"serve", "--listen", "unix://" + path, "--listen", server.url()});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Listeners, ALiveUnixSocketIsInUseAndAStaleOneIsReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.path("s.sock"), url = "unix://" + path;
  Program first({"serve", "--listen", url});
  EXPECT_EQ(first.line(), url);
  const ProgramResult second = run_program({"serve", "--listen", url});
  EXPECT_EQ(second.status, 1);
  EXPECT_EQ(second.errors, "Error: cannot listen on " + url + ": Address in use (os error 98)\n");
  for (const os::ProcessEntry& entry : os::list_processes()) {
    if (entry.parent == first.pid()) ::kill(entry.pid, SIGKILL);
  }
  first.wait();
  ASSERT_TRUE(std::filesystem::exists(path)) << "a server that is killed leaves it";
  Program third({"serve", "--listen", url});
  EXPECT_EQ(third.line(), url);
  EXPECT_TRUE(ask_unix(path, "GET /readyz HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

TEST(Listeners, TwoHundredWhoNeverFinishKeepNobodyOut) {
  TestServer server;
  std::vector<std::unique_ptr<RawSocket>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<RawSocket>(server.port()));
    slow.back()->send("GET / HTTP/1.1\r\nHost: x\r\n");
    if (i % 50 != 49) continue;
    TestClient client(server.port());
    client.handshake();
    EXPECT_EQ(client.run_shell("p" + std::to_string(i), "echo hello").out, "hello\n");
  }
  EXPECT_EQ(slow.front()->receive_until("\r\n\r\n"), "") << "the oldest made room";
}

TEST(Listeners, TheirNumberAndTimeCanBeSet) {
  TestServer server({"--max-pending-connections", "1", "--handshake-timeout", "0.05"});
  RawSocket first(server.port());
  RawSocket second(server.port());
  EXPECT_EQ(first.receive_until("x"), "");
  EXPECT_EQ(second.receive_until("x"), "") << "its time is over";
  TestClient client(server.port());
  client.handshake();
}

TEST(Listeners, ASessionIsThereForItsOwnSubjectOnly) {
  const TemporaryFolder folder;
  TestServer server({"--ws-auth", "capability-token", "--ws-token-file", folder.file("a", "one"), "--ws-token-file",
                     folder.file("b", "two")});
  const std::string one = "Authorization: Bearer one\r\n", two = "Authorization: Bearer two\r\n";
  std::string session;
  {
    TestClient owner(server.port(), one);
    session = owner.handshake();
  }
  TestClient other(server.port(), two);
  const std::string refused = other.ask("initialize", R"({"clientName":"x","resumeSessionId":")" + session + R"("})");
  EXPECT_TRUE(refused.contains("-32600")) << refused;
  EXPECT_TRUE(refused.contains("unknown session id " + session)) << refused;
  TestClient again(server.port(), one);
  again.resume(session);
}

constexpr std::string_view initialize = R"({"id":1,"method":"initialize","params":{"clientName":"x"}})";

TEST(StdioListener, AnswersEvenAFileAndEndsWithIt) {
  const ProgramResult result =
      run_program({"serve", "--listen", "stdio"}, testing::memory_file(std::string(initialize) + "\n\nnonsense"));
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with(R"({"id":1,"result":{"sessionId":)")) << result.output;
  EXPECT_TRUE(result.output.contains(
      R"({"error":{"code":-32600,"message":"failed to parse JSON-RPC message from exec-server stdio: )"))
      << result.output;
  EXPECT_EQ(std::ranges::count(result.output, '\n'), 2);
}

TEST(StdioListener, AViolationIsTheEndThoughTheInputGoesOn) {
  for (const std::string bad : {"{\"method\":\"nope\"}\n", "\xff\n", "{\"id\":1,\"result\":{}}\n"}) {
    os::Pipe input = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
    Program program({"serve", "--listen", "stdio"}, std::move(input.read));
    EXPECT_EQ(os::write_some(input.write.get(), as_bytes(bad)).bytes, bad.size());
    EXPECT_EQ(program.wait().wire_code(), 0);
    EXPECT_EQ(program.rest(), "");
  }
}

TEST(StdioListener, SessionsBelongToTheLineItself) {
  os::Pipe input = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
  Program program({"serve", "--listen", "stdio://"}, std::move(input.read));
  const auto ask = [&](std::string text) {
    text += "\n";
    EXPECT_EQ(os::write_some(input.write.get(), as_bytes(text)).bytes, text.size());
    return program.line();
  };
  ask(std::string(initialize));
  EXPECT_EQ(ask("{\"method\":\"initialized\"}\r\n{\"id\":2,\"method\":\"environment/status\"}"),
            R"({"id":2,"result":{"status":"ready"}})");
}

TEST(StdioListener, AnOutputThatNobodyReadsIsTheEnd) {
  os::Pipe input = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
  Program program({"serve", "--listen", "stdio"}, std::move(input.read));
  program.close_output();
  const std::string text = std::string(initialize) + "\n";
  EXPECT_EQ(os::write_some(input.write.get(), as_bytes(text)).bytes, text.size());
  EXPECT_EQ(program.wait().wire_code(), 0);
}

}  // namespace
}  // namespace outpost
