#include "rpc/reply.h"

#include <gtest/gtest.h>

#include "peer_ends.h"
#include "wire/protocol/process.h"

namespace outpost::rpc {
namespace {

constexpr auto given_up = R"({"error":{"code":-32603,"message":"the request was given up"},"id":1})";

/// Ends of which one request waits for its answer.
struct AskedEnds : PeerEnds {
  AskedEnds() { wire->say(R"({"id":1,"method":"m"})"); }
};

TEST(Reply, AnswersWithADto) {
  AskedEnds ends;
  ends.handler.replies[0].ok(wire::TerminateResult{true});
  EXPECT_EQ(ends.wire->heard(), Texts{R"({"id":1,"result":{"running":true}})"});
}

TEST(Reply, AnswersWithAnErrorOfItsKind) {
  AskedEnds ends;
  ends.handler.replies[0].error({ErrorKind::spawn_not_found, "no"});
  EXPECT_EQ(ends.wire->heard(),
            Texts{R"({"error":{"code":-32603,"data":{"kind":"spawnNotFound"},"message":"no"},"id":1})"});
}

TEST(Reply, LetsTheCallerWriteInPlace) {
  AskedEnds ends;
  ends.handler.replies[0].write(3, [](char* out) { std::copy_n("abc", 3, out); });
  EXPECT_EQ(ends.wire->heard(), Texts{"abc"});
}

TEST(Reply, AnswersOnceWhateverIsCalled) {
  AskedEnds ends;
  Reply& reply = ends.handler.replies[0];
  reply.ok_json("1");
  reply.ok_json("2");
  reply.ok(wire::EmptyObject{});
  reply.error({ErrorKind::io, "late"});
  reply.write(1, [](char* out) { *out = 'x'; });
  ends.handler.replies.clear();
  EXPECT_EQ(ends.wire->heard(), Texts{R"({"id":1,"result":1})"});
}

TEST(Reply, DroppedUnansweredAnswersAnInternalError) {
  AskedEnds ends;
  ends.handler.replies.clear();
  EXPECT_EQ(ends.wire->heard(), Texts{given_up});
}

TEST(Reply, MovedFromAnswersNothing) {
  AskedEnds ends;
  {
    Reply moved(std::move(ends.handler.replies[0]));
    ends.handler.replies.clear();
    EXPECT_EQ(ends.wire->heard(), Texts{});
  }
  EXPECT_EQ(ends.wire->heard(), Texts{given_up});
}

TEST(Reply, OfAPeerThatIsGoneDoesNothing) {
  AskedEnds ends;
  Reply reply(std::move(ends.handler.replies[0]));
  ends.wire->hang_up();
  ends.peer.reset();
  reply.ok_json("1");
  EXPECT_EQ(ends.wire->heard(), Texts{});
}

TEST(Reply, TellsOnceThatItIsDone) {
  for (const bool answered : {true, false}) {
    AskedEnds ends;
    int done = 0;
    ends.handler.replies[0].when_done([&] { ++done; });
    if (answered) ends.handler.replies[0].ok_json("1");
    EXPECT_EQ(done, answered ? 1 : 0);
    ends.handler.replies.clear();
    EXPECT_EQ(done, 1);
  }
}

TEST(Reply, TellsThatItIsDoneAlsoWithoutAPeer) {
  AskedEnds ends;
  int done = 0;
  ends.handler.replies[0].when_done([&] { ++done; });
  ends.wire->hang_up();
  ends.peer.reset();
  ends.handler.replies.clear();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace outpost::rpc
