#include <gtest/gtest.h>

#include <string>

#include "rpc/peer_ends.h"

namespace outpost::rpc {
namespace {

TEST(PeerBounds, TellsWhetherTheChannelTakesAnswers) {
  PeerEnds ends;
  ends.wire->stop_draining();
  ends.peer->send(std::string(limits::outgoing_bytes_busy, 'x'));
  EXPECT_TRUE(ends.peer->takes_answers());
  EXPECT_FALSE(ends.peer->writable());
  ends.peer->send("x");
  EXPECT_FALSE(ends.peer->takes_answers());

  ends.wire->drain(1);
  EXPECT_TRUE(ends.peer->takes_answers());
  EXPECT_EQ(ends.handler.writable, 0);
  ends.wire->drain_all();
  EXPECT_TRUE(ends.peer->writable());
  EXPECT_EQ(ends.handler.writable, 1);
}

TEST(PeerBounds, ReadsNothingWhileTooMuchWaitsToBeSent) {
  PeerEnds ends;
  ends.wire->stop_draining();
  ends.peer->send(std::string(limits::outgoing_bytes_busy + 1, 'x'));
  ends.wire->say(R"({"id":1,"method":"ask"})");
  EXPECT_TRUE(ends.handler.methods.empty());
  ends.wire->drain_all();
  ends.wire->pump();
  EXPECT_EQ(ends.handler.methods, Texts{"ask"});
}

}  // namespace
}  // namespace outpost::rpc
