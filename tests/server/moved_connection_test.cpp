#include <gtest/gtest.h>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;

/// An id whose session would belong to the loop of that index, of two.
std::string id_of_loop(std::size_t index) {
  for (int i = 0;; ++i) {
    std::string id = "session-" + std::to_string(i);
    if (SessionTable::loop_of(id, 2) == index) return id;
  }
}

TEST(MovedConnection, GoesToTheLoopOfItsSessionUnanswered) {
  FakeServer server({}, 2);
  FakeClient client = server.connect("alice");
  client.say(FakeClient::resume_request(id_of_loop(1)));
  ASSERT_EQ(server.handed_over.size(), 1u);
  EXPECT_EQ(server.handed_over[0].first, 1u);
  EXPECT_EQ(server.handed_over[0].second.subject, "alice");
  EXPECT_EQ(server.handed_over[0].second.id, wire::RequestId(0));
  EXPECT_EQ(client.heard(), Texts{});
  EXPECT_EQ(server.server->connections(), 0u);
}

TEST(MovedConnection, StaysWhereItsSessionWouldBe) {
  FakeServer server({}, 2);
  FakeClient client = server.connect();
  const std::string id = id_of_loop(0);
  EXPECT_EQ(client.ask(FakeClient::resume_request(id)), error_answer(-32600, "unknown session id " + id, "0"));
  EXPECT_EQ(server.handed_over.size(), 0u);
}

TEST(MovedConnection, IsAnsweredWhereItArrivesAndGoesOnThere) {
  FakeServer home, other({}, 2);
  FakeClient before = home.connect();
  const std::string id = before.handshake();
  const auto process = home.start(before, "p");
  before.hang_up();

  FakeClient client = other.connect();
  // As if the id fell on the other loop, which it does or not by chance.
  client.wire->say(FakeClient::resume_request(id_of_loop(1)));
  client.wire->say(R"({"method":"initialized"})");
  client.say(R"({"id":1,"method":"environment/status"})");
  ASSERT_EQ(other.handed_over.size(), 1u);
  EXPECT_EQ(client.wire->unread(), 2u);
  other.handed_over[0].second.params.resume_session_id = id;

  FakeClient moved = home.adopt(std::move(other.handed_over[0].second));
  const Texts heard = moved.heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(FakeClient::session_of(heard[0]), id);
  EXPECT_EQ(heard[1], R"({"id":1,"result":{"status":"ready"}})");
  process->print("x");
  EXPECT_EQ(moved.heard().size(), 1u);
}

TEST(MovedConnection, ThatEndsOnItsWayOutIsDropped) {
  FakeServer server({}, 2);
  FakeClient client = server.connect();
  client.wire->say(FakeClient::resume_request(id_of_loop(1)));
  client.hang_up();
  EXPECT_EQ(server.handed_over.size(), 0u);
  EXPECT_EQ(server.server->connections(), 0u);
  EXPECT_EQ(client.heard(), Texts{});
}

TEST(MovedConnection, FindsNothingWhereItsSessionIsGone) {
  FakeServer home, other({}, 2);
  FakeClient client = other.connect();
  const std::string id = id_of_loop(1);
  client.say(FakeClient::resume_request(id));
  ASSERT_EQ(other.handed_over.size(), 1u);
  FakeClient moved = home.adopt(std::move(other.handed_over[0].second));
  EXPECT_EQ(moved.heard(), Texts{error_answer(-32600, "unknown session id " + id, "0")});
  moved.handshake();
}

}  // namespace
}  // namespace outpost::server
