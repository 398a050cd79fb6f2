#include "transport/websocket_listener.h"

#include <gmock/gmock.h>

#include "base/limits/messages.h"
#include "transport/listener_fixture.h"

namespace outpost::transport::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using WebsocketListenerTest = ListenerTest;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(WebsocketListenerTest, ReadyzIsAnsweredSeveralTimesOnOneConnection) {
  listen();
  PlainClient& client = connect();
  for (int i = 1; i <= 3; ++i) {
    client.say("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(run_until(loop_, [&] {
      client.pump();
      return count(client.heard, "HTTP/1.1 200") == i && client.heard.ends_with("\r\n\r\n");
    }));
  }
  EXPECT_FALSE(client.ended);
  EXPECT_EQ(pending_->size(), 1u);
}

TEST_F(WebsocketListenerTest, SeveralRequestsInOneSendAreAnsweredInOrder) {
  listen();
  PlainClient& client = connect();
  client.say(
      "GET /readyz HTTP/1.1\r\n\r\nGET /nowhere HTTP/1.1\r\n\r\nHEAD /readyz HTTP/1.1\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(until_ended(client));
  EXPECT_THAT(client.heard, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(count(client.heard, "HTTP/1.1 404"), 1);
  EXPECT_EQ(count(client.heard, "HTTP/1.1 200"), 2);
  EXPECT_LT(client.heard.find("404"), client.heard.rfind("200"));
  EXPECT_EQ(pending_->size(), 0u);
}

TEST_F(WebsocketListenerTest, ARequestInSmallPortionsIsOne) {
  listen();
  PlainClient& client = connect();
  for (const char byte : std::string("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")) {
    client.say({&byte, 1});
    run_ready(loop_);
  }
  ASSERT_TRUE(until_heard(client, "\r\n\r\n"));
  EXPECT_EQ(count(client.heard, "HTTP/1.1 200"), 1);
}

TEST_F(WebsocketListenerTest, GarbageGetsA400AndTheEnd) {
  listen();
  PlainClient& client = connect();
  client.say("this is not HTTP\r\n\r\n");
  ASSERT_TRUE(until_ended(client));
  EXPECT_THAT(client.heard, StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(pending_->size(), 0u);
}

TEST_F(WebsocketListenerTest, ATooLongHeadGetsA431AndTheEnd) {
  listen();
  PlainClient& client = connect();
  client.say("GET /readyz HTTP/1.1\r\nX: " + std::string(limits::http_head_bytes_max, 'x'));
  ASSERT_TRUE(until_ended(client));
  EXPECT_THAT(client.heard, StartsWith("HTTP/1.1 431"));
}

TEST_F(WebsocketListenerTest, AClientThatLeavesIsForgotten) {
  listen();
  connect();
  ASSERT_TRUE(run_until(loop_, [&] { return pending_->size() == 1; }));
  clients_.clear();
  EXPECT_TRUE(run_until(loop_, [&] { return pending_->size() == 0; }));
}

TEST_F(WebsocketListenerTest, TheOldestMakesRoomForTheSixtyFifth) {
  listen();
  for (int i = 0; i < 64; ++i) {
    connect();
    ASSERT_TRUE(run_until(loop_, [&] { return pending_->size() == clients_.size(); }));
  }
  run_ready(loop_);
  clients_[0]->pump();
  EXPECT_FALSE(clients_[0]->ended) << "sixty-four are fine";
  connect();
  ASSERT_TRUE(until_ended(*clients_[0]));
  EXPECT_EQ(pending_->size(), 64u);
  EXPECT_EQ(clients_[0]->heard, "");
  clients_[1]->say("GET /readyz HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(until_heard(*clients_[1], "HTTP/1.1 200")) << "the second oldest lives";
}

TEST_F(WebsocketListenerTest, ASilentConnectionEndsAfterItsTime) {
  listen({.handshake_timeout = std::chrono::milliseconds(20)});
  PlainClient& client = connect();
  ASSERT_TRUE(until_ended(client));
  EXPECT_EQ(client.heard, "");
  EXPECT_EQ(pending_->size(), 0u);
}

TEST_F(WebsocketListenerTest, AHalfRequestDoesNotProlongTheTime) {
  listen({.handshake_timeout = std::chrono::milliseconds(50)});
  PlainClient& client = connect();
  client.say("GET /readyz HTTP/1.1\r\n");
  EXPECT_TRUE(until_ended(client));
}

TEST_F(WebsocketListenerTest, AnsweredRequestsDoNotProlongTheTime) {
  listen({.handshake_timeout = std::chrono::milliseconds(200)});
  PlainClient& client = connect();
  const std::string request = "GET /readyz HTTP/1.1\r\n\r\n";
  client.try_say(request);
  std::size_t answers = 0;
  // It asks again as soon as it was answered, for as long as it is let.
  EXPECT_TRUE(run_until(loop_, [&] {
    client.pump();
    std::size_t heard = 0;
    for (std::size_t at = 0; (at = client.heard.find("HTTP/1.1 200", at)) != std::string::npos; ++at) ++heard;
    if (heard > answers && !client.ended && client.try_say(request)) answers = heard;
    return client.ended;
  }));
  EXPECT_EQ(pending_->size(), 0u);
}

TEST_F(WebsocketListenerTest, AnUpgradeHandsOverTheSocketWithItsEarlyFrames) {
  listen();
  PlainClient& client = connect();
  client.say(upgrade_request() + "frames");
  ASSERT_TRUE(until_heard(client, "\r\n\r\n"));
  EXPECT_THAT(client.heard, StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(client.heard, HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  ASSERT_THAT(upgraded_, SizeIs(1));
  EXPECT_EQ(upgraded_[0].early_input, "frames");
  EXPECT_THAT(upgraded_[0].peer, StartsWith("127.0.0.1:"));
  EXPECT_EQ(upgraded_[0].subject, "anonymous");
  EXPECT_EQ(pending_->size(), 0u);
  // The socket lives on without the listener.
  listener_.reset();
  run_ready(loop_);
  EXPECT_EQ(upgraded_[0].stream->write(as_bytes("hello")).bytes, 5u);
  EXPECT_TRUE(until_heard(client, "hello"));
}

TEST_F(WebsocketListenerTest, AnUpgradeMayFollowOtherRequests) {
  listen();
  PlainClient& client = connect();
  client.say("GET /readyz HTTP/1.1\r\n\r\n" + upgrade_request());
  ASSERT_TRUE(until_heard(client, "HTTP/1.1 101"));
  EXPECT_THAT(client.heard, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(upgraded_, SizeIs(1));
}

TEST_F(WebsocketListenerTest, CredentialsAreAskedForAndTheSubjectIsHandedOver) {
  listen({},
         [](const channel::HttpRequest& request,
            const std::string& peer) -> std::variant<channel::UpgradeAccepted, channel::HttpAnswer> {
           EXPECT_TRUE(peer.starts_with("127.0.0.1:"));
           if (!request.header("authorization")) return channel::HttpAnswer{.status = 401, .body = "who are you"};
           return channel::UpgradeAccepted{.subject = std::string(*request.header("authorization"))};
         });
  PlainClient& stranger = connect();
  stranger.say(upgrade_request());
  ASSERT_TRUE(until_heard(stranger, "who are you"));
  EXPECT_THAT(stranger.heard, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(upgraded_, SizeIs(0));
  PlainClient& friendly = connect();
  std::string request = upgrade_request();
  friendly.say(request.insert(request.find("Host"), "Authorization: me\r\n"));
  ASSERT_TRUE(until_heard(friendly, "HTTP/1.1 101"));
  ASSERT_THAT(upgraded_, SizeIs(1));
  EXPECT_EQ(upgraded_[0].subject, "me");
}

TEST_F(WebsocketListenerTest, DestroyedTheyDropThoseWhoWait) {
  listen();
  PlainClient& client = connect();
  client.say("GET /readyz HTTP/1.1\r\n");
  run_ready(loop_);
  listener_.reset();
  pending_.reset();
  EXPECT_TRUE(until_ended(client));
}

}  // namespace
}  // namespace outpost::transport::test
