#include "client/client_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_channel.h"

namespace outpost::client {
namespace {

using outpost::testing::FakeChannel;
using outpost::testing::FakeWire;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Kind = ProcessEvent::Kind;

class ClientSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    session_->open("test", [this](Result<wire::InitializeResult> result) { opened_ = std::move(result); });
    EXPECT_THAT(far_->heard(), ElementsAre(AllOf(HasSubstr(R"("id":1,)"), HasSubstr(R"("method":"initialize")"),
                                                 HasSubstr(R"("clientName":"test")"))));
  }
  void finish_handshake() {
    far_->say(R"({"id":1,"result":{"sessionId":"s"}})");
    ASSERT_THAT(far_->heard(), ElementsAre(HasSubstr(R"("method":"initialized")")));
  }
  /// Starts a process under request `request_id`; what is told of it goes into `told_`.
  void start(const std::string& id) {
    wire::StartParams params;
    params.process_id = id;
    params.argv = {"/bin/true"};
    params.cwd.text = "file:///tmp";
    session_->start(
        params,
        {.on_event =
             [this, id](const ProcessEvent& event) {
               const std::string number = id + " " + std::to_string(event.seq) + " ";
               switch (event.kind) {
                 case Kind::output:
                   told_.push_back(number + std::string(as_text(event.bytes.view())));
                   break;
                 case Kind::exited:
                   told_.push_back(number + "exit " + std::to_string(event.exit_code));
                   break;
                 case Kind::closed:
                   told_.push_back(number + "closed");
                   break;
               }
             },
         .on_failure = [this, id](const Error& error) { told_.push_back(id + " failed: " + error.message); }},
        [this, id](Result<wire::StartResult> result) {
          told_.push_back(id + (result ? " started" : " not started: " + result.error().message));
        });
  }
  void output(const std::string& id, int seq, const std::string& base64) {
    far_->say(R"({"method":"process/output","params":{"processId":")" + id + R"(","seq":)" + std::to_string(seq) +
              R"(,"stream":"stdout","chunk":")" + base64 + R"("}})");
  }
  void exited(const std::string& id, int seq, int code) {
    far_->say(R"({"method":"process/exited","params":{"processId":")" + id + R"(","seq":)" + std::to_string(seq) +
              R"(,"exitCode":)" + std::to_string(code) + R"(,"sandboxDenied":false}})");
  }
  void closed(const std::string& id, int seq) {
    far_->say(R"({"method":"process/closed","params":{"processId":")" + id + R"(","seq":)" + std::to_string(seq) +
              "}}");
  }

  std::shared_ptr<FakeWire> far_ = std::make_shared<FakeWire>();
  std::unique_ptr<ClientSession> session_ = std::make_unique<ClientSession>(std::make_unique<FakeChannel>(far_));
  std::optional<Result<wire::InitializeResult>> opened_;
  std::vector<std::string> told_;
};

TEST_F(ClientSessionTest, SaysInitializedAfterTheAnswer) {
  EXPECT_FALSE(opened_);
  finish_handshake();
  ASSERT_TRUE(opened_ && *opened_);
  EXPECT_EQ((*opened_)->session_id, "s");
}

TEST_F(ClientSessionTest, ARefusedHandshakeIsToldAndNotConfirmed) {
  far_->say(R"({"id":1,"error":{"code":-32600,"message":"no"}})");
  ASSERT_TRUE(opened_ && !*opened_);
  EXPECT_EQ(opened_->error().kind, ErrorKind::remote);
  EXPECT_EQ(opened_->error().message, "no");
  EXPECT_EQ(opened_->error().remote_code, -32600);
  EXPECT_THAT(far_->heard(), SizeIs(0));
}

TEST_F(ClientSessionTest, AnAnswerThatDoesNotDecodeIsAnError) {
  far_->say(R"({"id":1,"result":{"session":"s"}})");
  ASSERT_TRUE(opened_);
  EXPECT_FALSE(*opened_);
}

TEST_F(ClientSessionTest, TellsEventsInOrderFromTheRequestOn) {
  finish_handshake();
  start("p");
  EXPECT_THAT(far_->heard(),
              ElementsAre(AllOf(HasSubstr(R"("method":"process/start")"), HasSubstr(R"("processId":"p")"))));
  output("p", 1, "b25l");
  output("p", 3, "dGhyZWU=");
  far_->say(R"({"id":2,"result":{"processId":"p","sandboxType":"none"}})");
  output("p", 2, "dHdv");
  exited("p", 4, 7);
  closed("p", 5);
  EXPECT_THAT(told_, ElementsAre("p 1 one", "p started", "p 2 two", "p 3 three", "p 4 exit 7", "p 5 closed"));
}

TEST_F(ClientSessionTest, NothingIsToldAfterTheClose) {
  finish_handshake();
  start("p");
  closed("p", 2);
  exited("p", 1, 0);
  told_.clear();
  output("p", 3, "eA==");
  closed("p", 2);
  far_->hang_up("gone");
  EXPECT_THAT(told_, ElementsAre("p not started: gone")) << "the answer, and no failure of the process";
}

TEST_F(ClientSessionTest, AFailedStartIsForgotten) {
  finish_handshake();
  start("p");
  far_->say(R"({"id":2,"error":{"code":-32603,"message":"no such program","data":{"kind":"spawnNotFound"}}})");
  output("p", 1, "eA==");
  far_->hang_up("gone");
  EXPECT_THAT(told_, ElementsAre("p not started: no such program"));
}

TEST_F(ClientSessionTest, TheIdMayBeUsedAgainWhenTheCloseIsTold) {
  finish_handshake();
  wire::StartParams params;
  params.process_id = "again";
  int closes = 0;
  const std::function<void()> start_again = [&] {
    session_->start(params,
                    {.on_event =
                         [&](const ProcessEvent& event) {
                           if (event.kind == Kind::closed && ++closes == 1) start_again();
                         },
                     .on_failure = [](const Error&) {}},
                    [](Result<wire::StartResult>) {});
  };
  start_again();
  exited("again", 1, 0);
  closed("again", 2);
  EXPECT_EQ(closes, 1);
  exited("again", 1, 0);
  closed("again", 2);
  EXPECT_EQ(closes, 2) << "the second process is followed";
}

TEST_F(ClientSessionTest, AHandlerMayStartManyProcesses) {
  finish_handshake();
  wire::StartParams params;
  params.process_id = "first";
  std::vector<Kind> kinds;
  session_->start(params,
                  {.on_event =
                       [&](const ProcessEvent& event) {
                         kinds.push_back(event.kind);
                         for (int i = 0; i < 100; ++i)
                           start("p" + std::to_string(event.seq * 1000) + std::to_string(i));
                       },
                   .on_failure = [](const Error&) {}},
                  [](Result<wire::StartResult>) {});
  closed("first", 2);
  exited("first", 1, 0);
  EXPECT_THAT(kinds, ElementsAre(Kind::exited, Kind::closed));
}

TEST_F(ClientSessionTest, WritesHaveDifferentIdsAndBase64Bytes) {
  finish_handshake();
  std::vector<wire::WriteStatus> statuses;
  for (int i = 0; i < 2; ++i) {
    session_->write("p", as_bytes("hi"), [&](Result<wire::WriteResult> result) { statuses.push_back(result->status); });
  }
  const auto sent = far_->heard();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(sent[0], AllOf(HasSubstr(R"("method":"process/write")"), HasSubstr(R"("chunk":"aGk=")"),
                             HasSubstr(R"("writeId":"1")")));
  EXPECT_THAT(sent[1], HasSubstr(R"("writeId":"2")"));
  far_->say(R"({"id":3,"result":{"status":"stdinClosed"}})");
  far_->say(R"({"id":2,"result":{"status":"accepted"}})");
  EXPECT_THAT(statuses, ElementsAre(wire::WriteStatus::stdin_closed, wire::WriteStatus::accepted));
}

TEST_F(ClientSessionTest, SendsTheOtherCallsOfAProcess) {
  finish_handshake();
  bool terminated = false;
  session_->close_stdin("p", [](Result<wire::WriteResult>) {});
  session_->interrupt("p");
  session_->terminate("p", [&] { terminated = true; });
  EXPECT_THAT(
      far_->heard(),
      ElementsAre(AllOf(HasSubstr(R"("method":"outpost/process/closeStdin")"), HasSubstr(R"({"processId":"p"})")),
                  AllOf(HasSubstr(R"("method":"process/signal")"), HasSubstr(R"("signal":"interrupt")")),
                  HasSubstr(R"("method":"process/terminate")")));
  far_->say(R"({"id":4,"error":{"code":-32600,"message":"no such process"}})");
  EXPECT_TRUE(terminated) << "whatever the answer is";
}

TEST_F(ClientSessionTest, RefusesRequestsOfTheServer) {
  finish_handshake();
  far_->say(R"({"id":"x","method":"client/ask","params":{}})");
  EXPECT_THAT(far_->heard(),
              ElementsAre(AllOf(HasSubstr("-32601"), HasSubstr("client/ask"), HasSubstr(R"("id":"x")"))));
}

TEST_F(ClientSessionTest, IgnoresNotificationsAndProcessesItDoesNotKnow) {
  finish_handshake();
  far_->say(R"({"method":"news/of/tomorrow","params":{"a":1}})");
  output("stranger", 1, "eA==");
  EXPECT_FALSE(far_->ended());
  EXPECT_THAT(told_, SizeIs(0));
}

TEST_F(ClientSessionTest, AnEventThatDoesNotDecodeEndsTheConnection) {
  finish_handshake();
  far_->say(R"({"method":"process/output","params":{"processId":"p","seq":"one"}})");
  EXPECT_TRUE(far_->ended());
}

TEST_F(ClientSessionTest, AMissingEventEndsThatProcessAlone) {
  finish_handshake();
  start("broken");
  start("fine");
  for (int seq = 2; seq < 2 + 257; ++seq) output("broken", seq, "eA==");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("broken failed: event 1 of the process is missing")));
  output("broken", 1, "eA==");
  output("fine", 1, "eA==");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("broken failed"), "fine 1 x"));
  EXPECT_FALSE(far_->ended());
}

TEST_F(ClientSessionTest, ALostConnectionIsToldToEveryProcessAndCall) {
  finish_handshake();
  start("a");
  far_->say(R"({"id":2,"result":{"processId":"a","sandboxType":"none"}})");
  bool failed = false;
  session_->write("a", as_bytes("x"), [&](Result<wire::WriteResult> result) { failed = !result; });
  far_->hang_up("network down");
  EXPECT_TRUE(failed);
  EXPECT_THAT(told_, ElementsAre("a started", "a failed: the connection to the server is lost: network down"));
  session_->write("a", as_bytes("x"), [&](Result<wire::WriteResult> result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::connection_lost);
    told_.push_back("late");
  });
  EXPECT_EQ(told_.back(), "late");
}

TEST_F(ClientSessionTest, AnIdThatIsFollowedIsRefusedAndItsProcessFollowedOn) {
  finish_handshake();
  start("p");
  EXPECT_THAT(far_->heard(), SizeIs(1));
  start("p");
  EXPECT_THAT(far_->heard(), SizeIs(0)) << "nothing is sent";
  EXPECT_THAT(told_, ElementsAre("p not started: process p is followed already"));
  output("p", 1, "b25l");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("not started"), "p 1 one"));
}

TEST_F(ClientSessionTest, TheAnswerToAnEarlierStartLeavesTheNewProcessAlone) {
  finish_handshake();
  start("p");
  closed("p", 1);
  start("p");
  far_->say(R"({"id":2,"error":{"code":-32603,"message":"too late"}})");
  output("p", 1, "b25l");
  EXPECT_THAT(told_, ElementsAre("p 1 closed", "p not started: too late", "p 1 one"));
}

TEST_F(ClientSessionTest, AnEventOfMoreThanOneMebibyteEndsThatProcessAlone) {
  finish_handshake();
  start("big");
  start("fine");
  output("big", 1, std::string(1398104, 'A'));  // base64 of 1 MiB + 2
  EXPECT_THAT(told_, ElementsAre("big failed: event 1 of the process has 1048578 bytes; at most 1048576 are taken"));
  output("big", 2, "eA==");
  output("fine", 1, "eA==");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("big failed"), "fine 1 x"));
  EXPECT_FALSE(far_->ended());
}

/// A process whose callbacks destroy the session.
class ClientSessionEnd : public ClientSessionTest {
 protected:
  void start_deadly(const std::string& id) {
    wire::StartParams params;
    params.process_id = id;
    session_->start(params,
                    {.on_event =
                         [this](ProcessEvent&&) {
                           ++calls_;
                           session_.reset();
                         },
                     .on_failure =
                         [this](const Error&) {
                           ++calls_;
                           session_.reset();
                         }},
                    [this](Result<wire::StartResult>) {
                      ++calls_;
                      session_.reset();
                    });
  }
  int calls_ = 0;
};

TEST_F(ClientSessionEnd, AnEventMayDestroyTheSession) {
  finish_handshake();
  start_deadly("p");
  output("p", 2, "dHdv");
  output("p", 1, "b25l");
  EXPECT_EQ(calls_, 1) << "the second event is not told, nor is the end";
  EXPECT_TRUE(far_->ended());
  far_->finish_close();
  EXPECT_EQ(calls_, 1);
}

TEST_F(ClientSessionEnd, AnAnswerMayDestroyTheSession) {
  finish_handshake();
  start_deadly("p");
  far_->say(R"({"id":2,"result":{"processId":"p","sandboxType":"none"}})");
  far_->finish_close();
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(far_->ended());
}

TEST_F(ClientSessionEnd, AFailureMayDestroyTheSession) {
  finish_handshake();
  start_deadly("p");
  output("p", 1, std::string(1398104, 'A'));
  far_->finish_close();
  EXPECT_EQ(calls_, 1);
}

TEST_F(ClientSessionEnd, ALostConnectionMayDestroyTheSession) {
  finish_handshake();
  start_deadly("p");
  start_deadly("q");
  far_->say(R"({"id":2,"result":{"processId":"p","sandboxType":"none"}})");
  EXPECT_EQ(calls_, 1);
  far_->finish_close();
  EXPECT_EQ(calls_, 1);
}

TEST_F(ClientSessionTest, AFailureOfManyMayDestroyTheSession) {
  finish_handshake();
  int failures = 0;
  for (const std::string id : {"a", "b"}) {
    wire::StartParams params;
    params.process_id = id;
    session_->start(params,
                    {.on_event = [](ProcessEvent&&) {},
                     .on_failure =
                         [&](const Error&) {
                           ++failures;
                           session_.reset();
                         }},
                    [](Result<wire::StartResult>) {});
  }
  far_->say(R"({"id":2,"result":{"processId":"a","sandboxType":"none"}})");
  far_->say(R"({"id":3,"result":{"processId":"b","sandboxType":"none"}})");
  far_->hang_up("gone");
  EXPECT_EQ(failures, 1);
}

TEST_F(ClientSessionTest, ReadsNothingWhileToldNotTo) {
  finish_handshake();
  start("p");
  session_->set_reading(false);
  output("p", 1, "b25l");
  output("p", 2, "dHdv");
  EXPECT_TRUE(told_.empty());
  session_->set_reading(true);
  far_->pump();
  EXPECT_THAT(told_, ElementsAre("p 1 one", "p 2 two"));
}

TEST_F(ClientSessionTest, AsksAboutAFolder) {
  finish_handshake();
  std::optional<bool> folder;
  session_->get_metadata({"file:///tmp"},
                         [&](Result<wire::GetMetadataResult> result) { folder = result->is_directory; });
  EXPECT_THAT(far_->heard(),
              ElementsAre(AllOf(HasSubstr(R"("method":"fs/getMetadata")"), HasSubstr(R"("path":"file:///tmp")"))));
  far_->say(
      R"({"id":2,"result":{"isDirectory":true,"isFile":false,"isSymlink":false,"size":1,"createdAtMs":0,"modifiedAtMs":0}})");
  EXPECT_EQ(folder, true);
}

}  // namespace
}  // namespace outpost::client
