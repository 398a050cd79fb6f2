#include <gtest/gtest.h>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using namespace std::chrono_literals;
using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using testing::run_until;
using Texts = std::vector<std::string>;

std::string attached(const std::string& session) {
  return error_answer(-32010, "session " + session + " is already attached to another connection", "0");
}

TEST(DeadPeers, OneThatIsSilentForThreeIntervalsIsDropped) {
  FakeServer server([](Options& options) { options.ping_interval = 5ms; });
  FakeClient living = server.connect(), dead = server.connect();
  dead.wire->answers_pings = false;
  const std::string id = dead.handshake();
  EXPECT_TRUE(run_until(server.loop, [&] {
    living.wire->pump();
    return dead.wire->ended();
  }));
  EXPECT_FALSE(living.wire->ended());
  EXPECT_EQ(dead.wire->pings().front(), "1");
  EXPECT_EQ(dead.wire->pings().back(), std::to_string(dead.wire->pings().size()));
  server.settle();
  FakeClient second = server.connect();
  EXPECT_TRUE(second.resume(id).contains(id));
}

TEST(DeadPeers, OneWhoseBytesWaitUnreadIsNotSilent) {
  FakeServer server([](Options& options) { options.ping_interval = 5ms; });
  FakeClient client = server.connect();
  client.wire->answers_pings = false;
  client.wire->keeps_unread = true;  // a pong may stand behind them
  testing::run_past(server.loop, 50ms);
  EXPECT_FALSE(client.wire->ended());
  client.wire->keeps_unread = false;
  EXPECT_TRUE(run_until(server.loop, [&] { return client.wire->ended(); }));
}

TEST(DeadPeers, WithoutAnIntervalNobodyIsPinged) {
  FakeServer server([](Options& options) { options.ping_interval = 0ms; });
  FakeClient silent = server.connect();
  silent.wire->answers_pings = false;
  testing::run_past(server.loop, 50ms);
  EXPECT_EQ(silent.wire->pings(), Texts{});
  EXPECT_FALSE(silent.wire->ended());
}

TEST(DeadPeers, OneThatTalksButAnswersNoPingIsJudgedByItsSocket) {
  FakeServer server([](Options& options) { options.ping_interval = 5ms; });
  FakeClient client = server.connect();
  client.wire->answers_pings = false;
  client.handshake();
  const auto process = server.start(client, "p");
  process->undelivered = {.bytes = 1 << 20, .sent_offset = 1};
  process->print("x");
  EXPECT_TRUE(run_until(server.loop, [&] {
    client.wire->receive(1);
    return !process->proved_offsets.empty();
  }));
  EXPECT_GE(process->proved_offsets.front(), process->sent.front().second);
  EXPECT_FALSE(client.wire->ended());
}

class ResumeProbe : public ::testing::Test {
 protected:
  explicit ResumeProbe(std::chrono::milliseconds wait = 20ms)
      : server([wait](Options& options) { options.resume_probe = wait; }) {}
  FakeServer server;
  FakeClient first = server.connect(), second = server.connect();
  const std::string id = first.handshake();
};

TEST_F(ResumeProbe, ALivingConnectionKeepsItsSession) {
  EXPECT_EQ(second.ask(FakeClient::resume_request(id)), attached(id));
  EXPECT_EQ(first.wire->pings(), Texts{"1"});
  EXPECT_EQ(second.ask(FakeClient::resume_request(id)), attached(id)) << "the connection may go on";
}

TEST_F(ResumeProbe, ADeadOneLosesIt) {
  first.wire->answers_pings = false;
  second.say(FakeClient::resume_request(id));
  EXPECT_EQ(second.heard(), Texts{}) << "it is waited for";
  second.say(R"({"method":"initialized"})");
  EXPECT_FALSE(second.wire->ended()) << "what comes meanwhile waits";
  Texts heard;
  EXPECT_TRUE(run_until(server.loop, [&] {
    heard = second.heard();
    return !heard.empty();
  }));
  EXPECT_EQ(FakeClient::session_of(heard.front()), id);
  EXPECT_TRUE(first.wire->ended());
  server.settle();
  EXPECT_TRUE(second.ask(R"({"id":1,"method":"environment/status"})").contains("ready"));
}

TEST_F(ResumeProbe, AnyByteIsASignOfLife) {
  first.wire->answers_pings = false;
  second.say(FakeClient::resume_request(id));
  first.wire->receive(1);
  EXPECT_EQ(second.heard(), Texts{attached(id)});
}

TEST_F(ResumeProbe, SoAreBytesThatNobodyReads) {
  first.wire->answers_pings = false;
  second.say(FakeClient::resume_request(id));
  first.wire->receive_unread(1);
  Texts heard;
  EXPECT_TRUE(run_until(server.loop, [&] {
    heard = second.heard();
    return !heard.empty();
  }));
  EXPECT_EQ(heard, Texts{attached(id)});
}

TEST_F(ResumeProbe, OfTwoThatAskTheFirstGetsIt) {
  first.wire->answers_pings = false;
  FakeClient third = server.connect();
  second.say(FakeClient::resume_request(id));
  third.say(FakeClient::resume_request(id));
  Texts heard;
  EXPECT_TRUE(run_until(server.loop, [&] {
    heard = second.heard();
    return !heard.empty();
  }));
  EXPECT_EQ(FakeClient::session_of(heard.front()), id);
  EXPECT_EQ(third.heard(), Texts{attached(id)});
}

TEST_F(ResumeProbe, WhoAskedAndLeftGetsNothing) {
  first.wire->answers_pings = false;
  FakeClient third = server.connect();
  second.say(FakeClient::resume_request(id));
  third.say(FakeClient::resume_request(id));
  second.hang_up();
  Texts heard;
  EXPECT_TRUE(run_until(server.loop, [&] {
    heard = third.heard();
    return !heard.empty();
  }));
  EXPECT_EQ(FakeClient::session_of(heard.front()), id);
}

TEST_F(ResumeProbe, TheEndOfTheConnectionIsTheAnswer) {
  first.wire->answers_pings = false;
  second.say(FakeClient::resume_request(id));
  first.hang_up();
  const Texts heard = second.heard();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(FakeClient::session_of(heard.front()), id);
}

TEST(ResumeProbeOff, WhoIsAttachedIsNotAsked) {
  FakeServer server([](Options& options) { options.resume_probe = 0ms; });
  FakeClient first = server.connect(), second = server.connect();
  const std::string id = first.handshake();
  first.wire->answers_pings = false;
  EXPECT_EQ(second.resume(id), attached(id));
  EXPECT_EQ(first.wire->pings(), Texts{});
}

}  // namespace
}  // namespace outpost::server
