#include "rpc/peer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/limits/connections.h"
#include "base/limits/messages.h"
#include "peer_ends.h"

namespace outpost::rpc {
namespace {

constexpr auto websocket_prefix =
    "failed to parse websocket JSON-RPC message from exec-server websocket 127.0.0.1:57904: ";
constexpr auto stdio_prefix = "failed to parse JSON-RPC message from exec-server stdio: ";

std::string refusal(const std::string& text) {
  return R"({"error":{"code":-32600,"message":")" + text + R"("},"id":-1})";
}

std::string request(std::size_t id) {
  return R"({"id":)" + std::to_string(id) + R"(,"method":"m"})";
}

TEST(Peer, HandsUpRequestsAndNotificationsInOrder) {
  PeerEnds ends;
  ends.wire->say(R"({"id":1,"method":"a","params":{}})");
  ends.wire->say(R"({"method":"b"})");
  ends.wire->say(R"({"id":"x","method":"c"})");
  EXPECT_EQ(ends.handler.methods, (Texts{"a", "b", "c"}));
}

TEST(Peer, EchoesTheIdAsItCame) {
  PeerEnds ends;
  for (const std::string id : {"7", "-9223372036854775808", "\"\"", "\"a\\\"b\""}) {
    ends.wire->say(R"({"id":)" + id + R"(,"method":"m"})");
    ends.handler.replies.back().ok_json("true");
    EXPECT_EQ(ends.wire->heard(), Texts{R"({"id":)" + id + R"(,"result":true})"});
  }
}

TEST(Peer, AnswersTwoRequestsOfOneIdTwice) {
  PeerEnds ends;
  ends.wire->say(request(1));
  ends.wire->say(request(1));
  ends.handler.replies[1].ok_json("2");
  ends.handler.replies[0].ok_json("1");
  EXPECT_EQ(ends.wire->heard(), (Texts{R"({"id":1,"result":2})", R"({"id":1,"result":1})"}));
}

TEST(Peer, RefusesWhatIsNoMessageAndLivesOn) {
  PeerEnds ends;
  for (const std::string text : {"[]", "3", "null", R"("x")", "true"}) {
    ends.wire->say(text);
    EXPECT_EQ(ends.wire->heard(), Texts{refusal(websocket_prefix + std::string("expected a JSON-RPC object"))}) << text;
  }
  for (const std::string text : {"", " ", "{", "{}", R"({"id":1.5,"method":"m"})", R"({"id":null,"method":"m"})"}) {
    ends.wire->say(text);
    const Texts answers = ends.wire->heard();
    ASSERT_EQ(answers.size(), 1u) << text;
    EXPECT_TRUE(answers[0].starts_with(std::string(R"({"error":{"code":-32600,"message":")") + websocket_prefix))
        << answers[0];
    EXPECT_TRUE(answers[0].ends_with(R"("},"id":-1})")) << answers[0];
  }
  ends.wire->say(request(1));
  EXPECT_EQ(ends.handler.methods, Texts{"m"});
  EXPECT_FALSE(ends.wire->ended());
}

TEST(Peer, NamesStdioInItsRefusals) {
  PeerEnds ends(channel::TransportKind::stdio);
  ends.wire->say("[]");
  EXPECT_EQ(ends.wire->heard(), Texts{refusal(stdio_prefix + std::string("expected a JSON-RPC object"))});
}

TEST(Peer, AnswersAnOversizeMessageWithTheLimit) {
  PeerEnds ends;
  ends.wire->say_oversize(limits::message_bytes_max + 1);
  EXPECT_EQ(ends.wire->heard(),
            Texts{refusal(websocket_prefix + std::string("message exceeds the limit of 67108864 bytes"))});
  ends.wire->say(request(1));
  EXPECT_EQ(ends.handler.methods, Texts{"m"});
}

TEST(Peer, ClosesOnAnswersToNothing) {
  for (const std::string text : {R"({"id":1,"result":{}})", R"({"id":1,"error":{"code":-1,"message":"x"}})",
                                 R"({"id":"1","result":{}})", R"({"id":-1,"result":null})"}) {
    PeerEnds ends;
    ends.wire->say(text);
    EXPECT_EQ(ends.wire->close_reason(), "the peer answered a request that was not sent") << text;
    EXPECT_EQ(ends.wire->heard(), Texts{});
  }
}

TEST(Peer, ClosesWhenTheHandlerRefusesANotification) {
  PeerEnds ends;
  ends.wire->say(R"({"method":"wrong"})");
  ends.wire->say(R"({"id":1,"method":"after"})");
  EXPECT_EQ(ends.wire->close_reason(), "unexpected notification wrong");
  EXPECT_EQ(ends.handler.methods, Texts{"wrong"});
  EXPECT_EQ(ends.wire->heard(), Texts{});
}

TEST(Peer, StopsReadingAt1024RequestsInFlightUntilOneIsAnswered) {
  PeerEnds ends;
  for (std::size_t i = 1; i < limits::requests_in_flight_max; ++i) ends.wire->say(request(i));
  EXPECT_FALSE(ends.wire->paused());
  ends.wire->say(request(1024));
  EXPECT_TRUE(ends.wire->paused());
  ends.wire->say(request(1025));
  EXPECT_EQ(ends.handler.replies.size(), 1024u);

  ends.handler.replies[512].ok_json("{}");
  EXPECT_FALSE(ends.wire->paused());
  ends.wire->pump();
  EXPECT_EQ(ends.handler.replies.size(), 1025u);
  EXPECT_TRUE(ends.wire->paused());
}

TEST(Peer, StopsReadingAtSoManyBytesInFlightButNotForOneRequestAlone) {
  PeerEnds ends(channel::TransportKind::websocket, {.request_bytes_in_flight_max = 10});
  ends.wire->say(request(1));
  EXPECT_FALSE(ends.wire->paused()) << "what ends its waiting must be heard";
  ends.wire->say(request(2));
  EXPECT_TRUE(ends.wire->paused());
  ends.handler.replies[1].exempt();
  EXPECT_TRUE(ends.wire->paused()) << "it has not been answered";
  ends.handler.replies[1].ok_json("{}");
  EXPECT_FALSE(ends.wire->paused());
}

TEST(Peer, ExemptRequestsAreNotInFlight) {
  PeerEnds ends(channel::TransportKind::websocket, {.requests_in_flight_max = 1});
  ends.wire->say(request(1));
  EXPECT_TRUE(ends.wire->paused());
  ends.handler.replies[0].exempt();
  EXPECT_FALSE(ends.wire->paused());
  ends.wire->say(request(2));
  EXPECT_TRUE(ends.wire->paused());
  // Answering one that no longer counts makes no room.
  ends.handler.replies[0].ok_json("{}");
  EXPECT_TRUE(ends.wire->paused());
}

TEST(Peer, ReadsOnlyWhileItsOwnerWants) {
  PeerEnds ends;
  ends.peer->set_reading(false);
  ends.wire->say(request(1));
  ends.wire->say(request(2));
  EXPECT_TRUE(ends.handler.replies.empty());
  ends.peer->set_reading(true);
  ends.wire->pump();
  ASSERT_EQ(ends.handler.replies.size(), 2u);
  EXPECT_EQ(ends.handler.replies[0].id(), wire::RequestId(1));
}

TEST(Peer, AnExceptionEndsItsConnectionAlone) {
  PeerEnds ends, other;
  ends.wire->say(R"({"id":1,"method":"throw"})");
  EXPECT_EQ(ends.wire->close_reason(), "internal error: std::bad_alloc");
  ends.wire->say(request(2));
  EXPECT_EQ(ends.handler.methods, Texts{});
  other.wire->say(request(1));
  EXPECT_EQ(other.handler.methods, Texts{"m"});
  EXPECT_FALSE(other.wire->ended());
}

TEST(Peer, AnExceptionInLaterWorkEndsItsConnectionToo) {
  PeerEnds ends;
  ends.peer->contain([] { throw std::length_error("too long"); });
  EXPECT_EQ(ends.wire->close_reason(), "internal error: too long");
}

TEST(Peer, TellsOfTheEndOnceAndLast) {
  PeerEnds ends;
  ends.wire->hang_up("gone");
  ends.wire->hang_up("again");
  EXPECT_EQ(ends.handler.closed, Texts{"gone"});
}

TEST(Peer, PassesOnThatThereIsRoom) {
  PeerEnds ends;
  ends.wire->make_room(0);
  EXPECT_FALSE(ends.peer->writable());
  ends.wire->make_room(1);
  EXPECT_TRUE(ends.peer->writable());
  EXPECT_EQ(ends.handler.writable, 1);
}

TEST(Peer, SendsANotification) {
  PeerEnds ends;
  ends.peer->notify("initialized", wire::EmptyObject{});
  EXPECT_EQ(ends.wire->heard(), Texts{R"({"method":"initialized","params":{}})"});
}

TEST(Peer, GivesBackALargeScratch) {
  PeerEnds ends;
  ends.peer->scratch().assign(1 << 20, 'x');
  EXPECT_LT(ends.peer->scratch().capacity(), std::size_t{1} << 20);
  EXPECT_TRUE(ends.peer->scratch().empty());
}

}  // namespace
}  // namespace outpost::rpc
