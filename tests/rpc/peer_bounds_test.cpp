#include <gtest/gtest.h>

#include <string>

#include "rpc/peer_ends.h"

#include "base/limits/connections.h"
#include "base/limits/messages.h"

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

TEST(PeerBounds, TheMemoryOfALargeMessageIsGivenBackWhenItWasHandled) {
  PeerEnds ends;
  ends.wire->say(R"({"id":1,"method":"ask"})");
  const std::size_t ordinary_bytes = ends.parser.memory_bytes();
  // One escape, and the text is decoded into memory of the parser; many values, and its nodes are.
  std::string values = "0";
  for (std::size_t i = 0; i < limits::json_nodes_kept; ++i) values += ",0";
  const std::string large = R"("\n)" + std::string(limits::mib, 'x') + R"(")";
  ends.wire->say(R"({"id":2,"method":"ask","params":[)" + large + "," + values + "]}");
  EXPECT_EQ(ends.handler.methods.size(), 2u);
  EXPECT_LE(ends.parser.memory_bytes(), 2 * ordinary_bytes);
  // One that is refused takes as much.
  ends.wire->say(R"({"id":3,"method":"ask","params":[)" + large + "]} x");
  EXPECT_LE(ends.parser.memory_bytes(), 2 * ordinary_bytes);
}

}  // namespace
}  // namespace outpost::rpc
