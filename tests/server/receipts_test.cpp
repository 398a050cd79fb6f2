#include <gtest/gtest.h>

#include "base/limits/receipts.h"
#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using capability::Keep;
using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;

class Receipts : public ::testing::Test {
 protected:
  /// A client that has a process; `outpost` are the members of its initialize and of its start.
  void begin(const std::string& initialize = "", const std::string& start = "") {
    session = FakeClient::session_of(
        client.ask(R"({"id":0,"method":"initialize","params":{"clientName":"t")" + initialize + "}}"));
    client.say(R"({"method":"initialized"})");
    client.say(R"({"id":1,"method":"process/start","params":{"processId":"p","argv":["a"],"cwd":"file:///","env":{},)"
               R"("tty":false)" +
               start + "}}");
    process = server.succeed();
    started = client.heard();
  }
  /// The process prints so much that a mark is due.
  void print_much() {
    constexpr std::size_t quarter = limits::bytes_between_marks / 4 / 4 * 3;  // as base64
    for (int i = 0; i < 4; ++i) process->print(std::string(quarter, 'x'));
  }
  FakeServer server;
  FakeClient client = server.connect();
  std::string session;
  std::shared_ptr<testing::FakeProcess> process;
  Texts started;
};

TEST_F(Receipts, PingsAreSentBehindEveryQuarterOfAMebibyteAndProveIt) {
  begin();
  client.wire->answers_pings = false;
  print_much();
  ASSERT_EQ(client.wire->pings(), Texts{"1"});
  EXPECT_EQ(process->proved_offsets, std::vector<std::uint64_t>{});
  process->undelivered = {.bytes = 1, .sent_offset = 1};
  process->print("x");  // from now on it waits for proof
  client.wire->pong("2");
  client.wire->pong("01");
  client.wire->pong("1 ");
  client.wire->pong("");
  EXPECT_EQ(process->proved_offsets, std::vector<std::uint64_t>{});
  client.wire->pong("1");
  ASSERT_EQ(process->proved_offsets.size(), 1u);
  EXPECT_LT(process->proved_offsets[0], process->sent.back().second);
  EXPECT_GE(process->proved_offsets[0], process->sent[process->sent.size() - 2].second);
  client.wire->pong("1");
  EXPECT_EQ(process->proved_offsets.size(), 1u) << "once";
}

TEST_F(Receipts, MuchThatIsUnprovedIsAskedForAtOnce) {
  begin();
  client.wire->answers_pings = false;
  process->undelivered = {.bytes = limits::retained_output_bytes / 2, .sent_offset = 1};
  process->print("x");
  EXPECT_EQ(client.wire->pings(), Texts{});
  process->undelivered.bytes += 1;
  process->print("x");
  EXPECT_EQ(client.wire->pings(), Texts{"1"});
  process->print("x");
  EXPECT_EQ(client.wire->pings(), Texts{"1"}) << "one is under way that tells";
  process->undelivered.sent_offset = process->sent.back().second;
  process->print("x");
  EXPECT_EQ(client.wire->pings(), (Texts{"1", "2"}));
}

TEST_F(Receipts, MarksTakeTheirPlaceIfTheClientAnswersThem) {
  begin(R"(,"outpost":{"receipts":true})");
  process->undelivered = {.bytes = 1, .sent_offset = 1};
  print_much();
  EXPECT_TRUE(client.heard().back() == R"({"method":"outpost/session/mark","params":{"mark":1}})");
  EXPECT_EQ(client.wire->pings(), Texts{});
  EXPECT_EQ(process->proved_offsets, std::vector<std::uint64_t>{});
  client.say(R"({"method":"outpost/session/receipt","params":{"mark":1}})");
  EXPECT_EQ(process->proved_offsets.size(), 1u);
  client.say(R"({"method":"outpost/session/receipt","params":{"mark":1}})");
  EXPECT_EQ(process->proved_offsets.size(), 1u);
  EXPECT_FALSE(client.wire->ended());
}

TEST_F(Receipts, AReceiptForAMarkThatWasNeverSentEndsTheConnection) {
  for (const char* params : {R"({"mark":2})", R"({"mark":0})", R"({"mark":"1"})", "{}", R"({"mark":1,"x":1})"}) {
    FakeServer other;
    FakeClient marking = other.connect();
    marking.ask(R"({"id":0,"method":"initialize","params":{"clientName":"t","outpost":{"receipts":true}}})");
    marking.say(R"({"method":"initialized"})");
    marking.say(std::string(R"({"method":"outpost/session/receipt","params":)") + params + "}");
    EXPECT_TRUE(marking.wire->ended()) << params;
  }
}

TEST_F(Receipts, WithoutMarksAReceiptIsAnUnexpectedNotification) {
  begin();
  client.say(R"({"method":"outpost/session/receipt","params":{"mark":1}})");
  EXPECT_TRUE(client.wire->ended());
}

TEST_F(Receipts, TheModeIsTold) {
  const std::string asked =
      client.ask(R"({"id":0,"method":"initialize","params":{"clientName":"t","outpost":{"receipts":true}}})");
  EXPECT_TRUE(asked.ends_with(R"("receipts":"mark"}}})")) << asked;
  FakeClient pinged = server.connect();
  const std::string told =
      pinged.ask(R"({"id":0,"method":"initialize","params":{"clientName":"t","outpost":{"receipts":false}}})");
  EXPECT_TRUE(told.ends_with(R"("receipts":"ping"}}})")) << told;
  FakeClient wrong = server.connect();
  EXPECT_EQ(wrong.ask(R"({"id":0,"method":"initialize","params":{"clientName":"t","outpost":{"receipts":1}}})"),
            error_answer(-32602, "invalid type: number, expected a boolean", "0"));
}

TEST_F(Receipts, ReadingOnProvesWhatCameBefore) {
  begin();
  process->print("x");
  process->print("x");
  client.heard();
  client.ask(R"({"id":2,"method":"process/read","params":{"processId":"p","afterSeq":1}})");
  EXPECT_EQ(process->proved_seqs, std::vector<std::uint64_t>{1});
  EXPECT_EQ(process->sent.back().first, 2u) << "what a read is answered with was sent as well";
  client.ask(R"({"id":2,"method":"process/read","params":{"processId":"p","outpost":{"head":1,"tail":1}}})");
  EXPECT_EQ(process->proved_seqs.size(), 1u) << "a view proves nothing";
}

TEST_F(Receipts, OutputIsKeptForTheAttachedAndByHoldForTheDetached) {
  begin("", R"(,"outpost":{"onDetach":"hold"})");
  EXPECT_EQ(started, Texts{R"({"id":1,"result":{"processId":"p","sandboxType":"none","outpost":{"onDetach":"hold",)"
                           R"("retainBytes":1048576,"pid":4711}}})"});
  EXPECT_EQ(process->keep, Keep::unproved);
  client.hang_up();
  EXPECT_EQ(process->keep, Keep::held);
  FakeClient second = server.connect();
  second.resume(session);
  EXPECT_EQ(process->keep, Keep::unproved);
  EXPECT_EQ(process->deliveries, 1);
  const std::string list = second.ask(R"({"id":2,"method":"outpost/process/list","params":{}})");
  EXPECT_TRUE(list.contains(R"("onDetach":"hold")")) << list;
}

TEST_F(Receipts, TheBacklogIsReleasedOnceItWasRead) {
  begin();
  process->print("x");
  client.hang_up();
  EXPECT_EQ(process->keep, Keep::newest);
  process->print("x");
  FakeClient second = server.connect();
  second.resume(session);
  EXPECT_EQ(process->released, 0);
  second.ask(R"({"id":2,"method":"process/read","params":{"processId":"p","maxBytes":1}})");
  EXPECT_EQ(process->released, 0) << "the rest will be asked for";
  second.ask(R"({"id":2,"method":"process/read","params":{"processId":"p","afterSeq":1}})");
  EXPECT_EQ(process->released, 1);
}

TEST_F(Receipts, OnDetachTakesItsTwoValuesOnly) {
  client.handshake();
  const std::string before =
      R"({"id":1,"method":"process/start","params":{"processId":"p","argv":["a"],"cwd":"file:///",)"
      R"("env":{},"tty":false,"outpost":{)";
  EXPECT_EQ(client.ask(before + R"("onDetach":"keep"}}})"),
            error_answer(-32602, "unknown variant `keep`, expected `drain` or `hold`", "1"));
  EXPECT_EQ(client.ask(before + R"("onDetatch":"hold"}}})"),
            error_answer(-32602,
                         "unknown field `outpost.onDetatch`, expected one of `onDetach`, `size`, `timeoutMs`, "
                         "`graceMs`, `limits`, `retainBytes`",
                         "1"));
}

}  // namespace
}  // namespace outpost::server
