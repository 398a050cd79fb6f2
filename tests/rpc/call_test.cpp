#include <gtest/gtest.h>

#include "peer_ends.h"

#include "base/limits/connections.h"

namespace outpost::rpc {
namespace {

/// The outcomes of calls, in the order of their answers.
struct Outcomes {
  Peer::CallDone keep(std::string name) {
    return [this, name = std::move(name)](Result<wire::JsonView> result) {
      texts.push_back(name + ": " + (result ? std::string(result->as_string()) : result.error().message));
      if (!result) kinds.push_back(result.error().kind);
    };
  }
  Texts texts;
  std::vector<ErrorKind> kinds;
};

TEST(Call, SendsRequestsWithIdsOfTheirOwn) {
  PeerEnds ends;
  Outcomes outcomes;
  ends.peer->call("a", wire::EmptyObject{}, outcomes.keep("a"));
  ends.peer->call("b", wire::EmptyObject{}, outcomes.keep("b"));
  EXPECT_EQ(ends.wire->heard(),
            (Texts{R"({"id":1,"method":"a","params":{}})", R"({"id":2,"method":"b","params":{}})"}));
  EXPECT_EQ(outcomes.texts, Texts{});
}

TEST(Call, IsMatchedWithItsAnswer) {
  PeerEnds ends;
  Outcomes outcomes;
  ends.peer->call("a", wire::EmptyObject{}, outcomes.keep("a"));
  ends.peer->call("b", wire::EmptyObject{}, outcomes.keep("b"));
  ends.wire->say(R"({"id":2,"result":"two"})");
  ends.wire->say(R"({"id":1,"error":{"code":-32601,"message":"unknown"}})");
  EXPECT_EQ(outcomes.texts, (Texts{"b: two", "a: unknown"}));
  EXPECT_EQ(outcomes.kinds, std::vector{ErrorKind::unknown_method});
}

TEST(Call, AnsweredTwiceEndsTheConnection) {
  PeerEnds ends;
  Outcomes outcomes;
  ends.peer->call("a", wire::EmptyObject{}, outcomes.keep("a"));
  ends.wire->say(R"({"id":1,"result":"one"})");
  ends.wire->say(R"({"id":1,"result":"again"})");
  EXPECT_EQ(outcomes.texts, Texts{"a: one"});
  EXPECT_TRUE(ends.wire->ended());
}

TEST(Call, FailsWhenTheConnectionIsLost) {
  PeerEnds ends;
  Outcomes outcomes;
  ends.peer->call("a", wire::EmptyObject{}, outcomes.keep("a"));
  ends.wire->hang_up("cut");
  EXPECT_EQ(outcomes.texts, Texts{"a: cut"});
  ends.peer->call("b", wire::EmptyObject{}, outcomes.keep("b"));
  EXPECT_EQ(outcomes.texts, (Texts{"a: cut", "b: the connection is closed"}));
  EXPECT_EQ(outcomes.kinds, (std::vector{ErrorKind::connection_lost, ErrorKind::connection_lost}));
}

TEST(Call, BeyondTheBoundIsRefusedUntilOneIsAnswered) {
  PeerEnds ends;
  Outcomes outcomes;
  for (std::size_t i = 0; i < limits::requests_in_flight_max; ++i) {
    ends.peer->call("a", wire::EmptyObject{}, outcomes.keep("a"));
  }
  EXPECT_EQ(outcomes.texts, Texts{});
  EXPECT_EQ(ends.wire->heard().size(), 1024u);
  ends.peer->call("b", wire::EmptyObject{}, outcomes.keep("b"));
  EXPECT_EQ(outcomes.texts, Texts{"b: at most 1024 requests may be in flight"});
  EXPECT_EQ(outcomes.kinds, std::vector{ErrorKind::limit_reached});
  EXPECT_EQ(ends.wire->heard(), Texts{});

  ends.wire->say(R"({"id":1,"result":"x"})");
  ends.peer->call("c", wire::EmptyObject{}, outcomes.keep("c"));
  EXPECT_EQ(ends.wire->heard(), Texts{R"({"id":1025,"method":"c","params":{}})"});
  ends.wire->hang_up();
}

}  // namespace
}  // namespace outpost::rpc
