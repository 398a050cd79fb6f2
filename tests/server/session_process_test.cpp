#include "server/session_process.h"

#include <gtest/gtest.h>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;
using SessionProcessTest = testing::ServerTest;

std::string output(const std::string& process, int seq, const std::string& stream = "stdout") {
  return R"({"method":"process/output","params":{"processId":")" + process + R"(","seq":)" + std::to_string(seq) +
         R"(,"stream":")" + stream + R"(","chunk":"eA=="}})";
}

TEST_F(SessionProcessTest, PushesEveryEventInOrder) {
  const auto process = server.start(client, "p");
  process->print("x");
  process->print("x", capability::OutputStream::stderr);
  process->end(7);
  EXPECT_EQ(
      client.heard(),
      (Texts{output("p", 1), output("p", 2, "stderr"),
             R"({"method":"process/exited","params":{"processId":"p","seq":3,"exitCode":7,"sandboxDenied":false}})",
             R"({"method":"process/closed","params":{"processId":"p","seq":4}})"}));
}

TEST_F(SessionProcessTest, NamesItsIdAsJson) {
  server.start(client, R"(a\"b)")->print("x");
  EXPECT_EQ(client.heard(), Texts{output(R"(a\"b)", 1)});
}

TEST_F(SessionProcessTest, NotesWhereEachOutputEnds) {
  const auto process = server.start(client, "p");
  process->print("x");
  process->print("x");
  ASSERT_EQ(process->sent.size(), 2u);
  EXPECT_EQ(process->sent[0].first, 1u);
  EXPECT_EQ(process->sent[1].first, 2u);
  EXPECT_EQ(process->sent[1].second - process->sent[0].second, output("p", 2).size());
}

TEST_F(SessionProcessTest, IsStoppedWhileItsClientDoesNotRead) {
  const auto process = server.start(client, "p");
  client.wire->make_room(0);
  process->print("x");
  EXPECT_FALSE(process->flowing);
  process->print("x");
  process->end();
  EXPECT_EQ(client.heard(), Texts{});
  client.wire->make_room(100);
  EXPECT_TRUE(process->flowing);
  EXPECT_EQ(client.heard().size(), 4u);
}

TEST_F(SessionProcessTest, StalledOnesTakeTurns) {
  const auto a = server.start(client, "a"), b = server.start(client, "b");
  client.wire->make_room(0);
  for (int i = 0; i < 3; ++i) a->print("x");
  for (int i = 0; i < 3; ++i) b->print("x");
  client.wire->make_room(2);
  EXPECT_EQ(client.heard(), (Texts{output("a", 1), output("a", 2)}));
  client.wire->make_room(2);
  EXPECT_EQ(client.heard(), (Texts{output("b", 1), output("b", 2)}));
  client.wire->make_room(100);
  EXPECT_EQ(client.heard(), (Texts{output("a", 3), output("b", 3)}));
  EXPECT_TRUE(a->flowing);
  EXPECT_TRUE(b->flowing);
}

TEST(SessionProcess, FlowsAgainWhenItsSlowClientIsGone) {
  FakeServer server;
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  first.wire->make_room(0);
  process->print("x");
  EXPECT_FALSE(process->flowing);
  first.hang_up();
  EXPECT_TRUE(process->flowing);
  process->print("x");
  EXPECT_TRUE(process->flowing);
  // The turn that it waited for went with the connection: a new one is stalled and served anew.
  FakeClient second = server.connect();
  second.resume(id);
  second.wire->make_room(0);
  process->print("x");
  EXPECT_FALSE(process->flowing);
  second.wire->make_room(9);
  EXPECT_EQ(second.heard(), Texts{output("p", 3)});
}

TEST(SessionProcess, IsNotForgottenBeforeASlowClientHasItAll) {
  FakeServer server([](Options& options) { options.session_retention = std::chrono::milliseconds(1); });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  client.wire->make_room(0);
  process->print("x");
  process->end();
  testing::run_past(server.loop, std::chrono::milliseconds(10));
  client.wire->make_room(100);
  EXPECT_EQ(client.heard().size(), 3u);
  EXPECT_TRUE(testing::run_until(server.loop, [&] { return !process->alive; }));
}

TEST(SessionProcess, IsForgottenInTimeAfterASlowClientLeft) {
  FakeServer server([](Options& options) { options.session_retention = std::chrono::hours(1); });
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  first.wire->make_room(0);
  process->print("x");
  process->end();
  EXPECT_EQ(server.shared.counts.processes.load(), 1u);
  first.hang_up();
  EXPECT_EQ(server.shared.counts.processes.load(), 0u);
}

TEST_F(SessionProcessTest, ReadsAreServedThoughTheClientTakesNoNotifications) {
  const auto process = server.start(client, "p");
  client.say(R"({"id":2,"method":"process/read","params":{"processId":"p","waitMs":3600000}})");
  client.wire->make_room(0);
  process->print("x");
  const Texts heard = client.heard();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(heard[0].starts_with(R"({"id":2,"result":{"chunks":[{"seq":1,)")) << heard[0];
}

}  // namespace
}  // namespace outpost::server
