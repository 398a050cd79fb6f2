#include <gtest/gtest.h>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;

std::string list(FakeClient& client) {
  return client.ask(R"({"id":1,"method":"outpost/session/list","params":{}})");
}
std::string about(const std::string& method, const std::string& session, const std::string& more = "") {
  return R"({"id":1,"method":"outpost/session/)" + method + R"(","params":{"sessionId":")" + session + "\"" + more +
         "}}";
}

class SessionAdministration : public ::testing::Test {
 protected:
  FakeServer server;
  FakeClient first = server.connect("a"), second = server.connect("a"), stranger = server.connect("b");
  const std::string one = first.handshake(), two = second.handshake(), foreign = stranger.handshake();
};

TEST_F(SessionAdministration, ListsTheSessionsOfASubject) {
  server.start(first, "p");
  server.start(first, "q")->exit(0);
  first.heard();
  server.start(first, "r")->end();
  first.hang_up();
  const std::string text = list(second);
  EXPECT_TRUE(text.contains(R"("processes":{"running":1,"exited":1,"closed":1}})")) << text;
  EXPECT_TRUE(text.contains(R"({"sessionId":")" + one + R"(","clientName":"t","current":false,"attached":false,)"));
  EXPECT_TRUE(text.contains(R"({"sessionId":")" + two + R"(","clientName":"t","current":true,"attached":true,)"));
  EXPECT_TRUE(text.contains(R"("detachedAtMs":null,"expiresAtMs":null,"retentionMs":80000,)")) << text;
  EXPECT_FALSE(text.contains(foreign));
}

TEST_F(SessionAdministration, AttachesToADetachedSession) {
  const auto process = server.start(first, "p");
  first.hang_up();
  EXPECT_EQ(second.ask(about("attach", one)),
            R"({"id":1,"result":{"sessionId":")" + one + R"(","retentionMs":80000}})");
  process->print("x");
  EXPECT_EQ(second.heard().size(), 1u) << "its events come here";
  EXPECT_FALSE(list(second).contains(two)) << "its own session is gone";
  FakeClient third = server.connect("a");
  EXPECT_EQ(third.ask(FakeClient::resume_request(two)), error_answer(-32600, "unknown session id " + two, "0"));
}

TEST_F(SessionAdministration, AttachingToItsOwnSessionChangesNothing) {
  EXPECT_EQ(second.ask(about("attach", two)),
            R"({"id":1,"result":{"sessionId":")" + two + R"(","retentionMs":80000}})");
}

TEST_F(SessionAdministration, WhoOwnsAProcessCanNotLeaveIt) {
  const auto process = server.start(second, "p");
  first.hang_up();
  EXPECT_EQ(second.ask(about("attach", one)), error_answer(-32600, "session has processes of its own", "1"));
  process->end();
  second.heard();
  EXPECT_EQ(second.ask(about("attach", one)), error_answer(-32600, "session has processes of its own", "1"));
}

TEST_F(SessionAdministration, ALivingConnectionIsOnlyForcedOut) {
  EXPECT_EQ(second.ask(about("attach", one)),
            error_answer(-32010, "session " + one + " is already attached to another connection", "1"));
  EXPECT_FALSE(first.wire->ended());
  EXPECT_EQ(second.ask(about("attach", one, R"(,"force":true)")),
            R"({"id":1,"result":{"sessionId":")" + one + R"(","retentionMs":80000}})");
  EXPECT_TRUE(first.wire->ended());
  EXPECT_EQ(first.wire->close_code(), 4001);
  EXPECT_EQ(first.wire->close_reason(), "session attached elsewhere");
}

TEST_F(SessionAdministration, SessionsOfOthersAreUnknown) {
  for (const char* method : {"attach", "end"}) {
    for (const std::string& id : {foreign, std::string("nonsense"), std::string()}) {
      EXPECT_EQ(second.ask(about(method, id)), error_answer(-32600, "unknown session id " + id, "1")) << method;
    }
  }
  EXPECT_FALSE(stranger.wire->ended());
}

TEST_F(SessionAdministration, ResumeByAnotherSubjectIsRefused) {
  first.hang_up();
  FakeClient thief = server.connect("b");
  EXPECT_EQ(thief.ask(FakeClient::resume_request(one)), error_answer(-32600, "unknown session id " + one, "0"));
}

TEST_F(SessionAdministration, EndsASessionAndClosesItsConnection) {
  const auto process = server.start(first, "p");
  EXPECT_EQ(second.ask(about("end", one)), R"({"id":1,"result":{"ended":true}})");
  EXPECT_EQ(process->terminations, 1);
  EXPECT_EQ(first.wire->close_code(), 4001);
  EXPECT_EQ(second.ask(about("end", one)), error_answer(-32600, "unknown session id " + one, "1"));
}

TEST_F(SessionAdministration, EndsItsOwnBehindTheAnswer) {
  second.say(about("end", two));
  EXPECT_EQ(second.heard(), Texts{R"({"id":1,"result":{"ended":true}})"});
  EXPECT_EQ(second.wire->close_code(), 4001);
}

TEST_F(SessionAdministration, MembersAreChecked) {
  EXPECT_EQ(second.ask(R"({"id":1,"method":"outpost/session/list","params":{"x":1}})"),
            error_answer(-32602, "unknown field `x`, there are no expected fields", "1"));
  EXPECT_EQ(second.ask(about("end", one, R"(,"force":true)")),
            error_answer(-32602, "unknown field `force`, expected `sessionId`", "1"));
  EXPECT_EQ(second.ask(about("attach", one, R"(,"forced":true)")),
            error_answer(-32602, "unknown field `forced`, expected `sessionId` or `force`", "1"));
  EXPECT_EQ(second.ask(R"({"id":1,"method":"outpost/session/attach","params":{}})"),
            error_answer(-32602, "missing field `sessionId`", "1"));
}

}  // namespace
}  // namespace outpost::server
