#include "server/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using namespace std::chrono_literals;
using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;
using SessionStarts = testing::ServerTest;

std::string read(const std::string& process, const std::string& more = "") {
  return R"({"id":2,"method":"process/read","params":{"processId":")" + process + "\"" + more + "}}";
}
std::string output(const std::string& process, int seq, const std::string& base64) {
  return R"({"method":"process/output","params":{"processId":")" + process + R"(","seq":)" + std::to_string(seq) +
         R"(,"stream":"stdout","chunk":")" + base64 + R"("}})";
}

TEST(Session, AnOldAttachmentCannotEndANewOne) {
  FakeServer server;
  wire::MessageParser parser;
  auto wire = std::make_shared<testing::FakeWire>();
  auto peer = std::make_shared<rpc::Peer>(std::make_unique<testing::FakeChannel>(wire), parser, rpc::Peer::Settings{});
  const auto session = *server.server->sessions().create("s", 1h);
  const auto first = session->attach(*peer);
  session->detach(first);
  EXPECT_FALSE(session->attached());
  const auto second = session->attach(*peer);
  EXPECT_NE(first, second);
  session->detach(first);
  EXPECT_TRUE(session->attached());
  session->detach(second);
  EXPECT_FALSE(session->attached());
}

TEST(Session, OfALivingConnectionIsNotTaken) {
  FakeServer server;
  FakeClient first = server.connect(), second = server.connect();
  const std::string id = first.handshake();
  EXPECT_EQ(second.ask(FakeClient::resume_request(id)),
            error_answer(-32010, "session " + id + " is already attached to another connection", "0"));
  EXPECT_EQ(first.ask(R"({"id":1,"method":"environment/status"})"), R"({"id":1,"result":{"status":"ready"}})");
  first.hang_up();
  EXPECT_EQ(FakeClient::session_of(second.resume(id)), id);
}

TEST(Session, SkipsWhatHappenedWhileNobodyWasThere) {
  FakeServer server;
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  process->print("a");
  EXPECT_EQ(first.heard(), Texts{output("p", 1, "YQ==")});
  first.hang_up();
  process->print("b");
  FakeClient second = server.connect();
  second.resume(id);
  EXPECT_EQ(second.heard(), Texts{});
  process->print("c");
  EXPECT_EQ(second.heard(), Texts{output("p", 3, "Yw==")});
  EXPECT_EQ(
      second.ask(read("p", R"(,"afterSeq":1)")),
      R"({"id":2,"result":{"chunks":[{"seq":2,"stream":"stdout","chunk":"Yg=="},{"seq":3,"stream":"stdout",)"
      R"("chunk":"Yw=="}],"nextSeq":4,"exited":false,"exitCode":null,"closed":false,"failure":null,"sandboxDenied":false}})");
  EXPECT_EQ(first.heard(), Texts{});
}

TEST(Session, ReadsThatWaitEndWithTheirConnection) {
  FakeServer server;
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  first.say(read("p", R"(,"waitMs":3600000)"));
  first.hang_up();
  FakeClient second = server.connect();
  second.resume(id);
  process->print("a");
  EXPECT_EQ(second.heard(), Texts{output("p", 1, "YQ==")});
  EXPECT_EQ(first.heard(), Texts{});
}

TEST(Session, WritesThatWaitForRoomEndWithTheirConnection) {
  FakeServer server;
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  process->holds_writes = true;
  first.say(R"({"id":2,"method":"process/write","params":{"processId":"p","chunk":"YQ==","writeId":"w"}})");
  EXPECT_EQ(process->waiting_writes.size(), 1u);
  first.hang_up();
  EXPECT_EQ(process->waiting_writes.size(), 0u);
  FakeClient second = server.connect();
  second.resume(id);
  EXPECT_EQ(first.heard(), Texts{});
}

TEST(Session, ExpiresAtItsDeadlineAlsoBeforeTheCleanUp) {
  FakeServer server([](Options& options) { options.session_retention = 0ms; });
  SessionTable& sessions = server.server->sessions();
  wire::MessageParser parser;
  auto wire = std::make_shared<testing::FakeWire>();
  auto peer = std::make_shared<rpc::Peer>(std::make_unique<testing::FakeChannel>(wire), parser, rpc::Peer::Settings{});
  const auto session = *sessions.create("s", 0ms);
  EXPECT_TRUE(sessions.find(session->id(), "s"));  // nobody has left it yet
  session->detach(session->attach(*peer));
  EXPECT_EQ(sessions.size(), 1u);
  const auto found = sessions.find(session->id(), "s");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "unknown session id " + session->id());
  EXPECT_TRUE(testing::run_until(server.loop, [&] { return sessions.size() == 0; }));
}

TEST(Session, ExpiryEndsItsProcesses) {
  FakeServer server([](Options& options) { options.session_retention = 1ms; });
  FakeClient client = server.connect();
  const std::string id = client.handshake();
  const auto process = server.start(client, "p");
  client.hang_up();
  EXPECT_TRUE(testing::run_until(server.loop, [&] { return !process->alive; }));
  EXPECT_EQ(process->terminations, 1);
  EXPECT_EQ(server.shared.counts.processes.load(), 0u);
  EXPECT_EQ(server.shared.counts.sessions.load(), 0u);
  EXPECT_EQ(server.connect().ask(FakeClient::resume_request(id)),
            error_answer(-32600, "unknown session id " + id, "0"));
}

TEST(Session, ThatSomebodyCameBackToDoesNotExpire) {
  FakeServer server([](Options& options) { options.session_retention = 1h; });
  FakeClient first = server.connect(), second = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  (*server.server->sessions().find(id, "anonymous"))->set_retention(20ms);
  first.wire->hang_up();
  second.wire->say(FakeClient::resume_request(id));
  testing::run_past(server.loop, 40ms);
  EXPECT_TRUE(process->alive);
  EXPECT_EQ(server.server->sessions().size(), 1u);
}

TEST(Session, ClosedProcessStaysForItsRetentionOnly) {
  FakeServer server([](Options& options) { options.session_retention = 10ms; });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  process->end(3);
  EXPECT_EQ(client.heard().size(), 2u);
  EXPECT_EQ(client.ask(FakeServer::start_request("p", "3")), error_answer(-32600, "process p already exists", "3"));
  EXPECT_EQ(client.ask(read("p")),
            R"({"id":2,"result":{"chunks":[],"nextSeq":3,"exited":true,"exitCode":3,"closed":true,"failure":null,)"
            R"("sandboxDenied":false}})");
  EXPECT_TRUE(testing::run_until(server.loop, [&] { return !process->alive; }));
  EXPECT_EQ(client.ask(read("p")), error_answer(-32600, "unknown process id p", "2"));
  server.start(client, "p");
}

TEST(Session, AShorterRetentionAlsoHoldsForWhatClosedBefore) {
  FakeServer server([](Options& options) { options.session_retention = 1h; });
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  const auto process = server.start(first, "p");
  process->end();
  first.hang_up();
  FakeClient second = server.connect();
  second.say(R"({"id":0,"method":"initialize","params":{"clientName":"t","resumeSessionId":")" + id +
             R"(","outpost":{"retentionMs":1}}})");
  EXPECT_TRUE(testing::run_until(server.loop, [&] { return !process->alive; }));
}

TEST(Session, ALongerRetentionAlsoHoldsForWhatClosedBefore) {
  FakeServer server([](Options& options) { options.session_retention = 1h; });
  FakeClient client = server.connect();
  const auto session = *server.server->sessions().find(client.handshake(), "anonymous");
  session->set_retention(20ms);
  const auto process = server.start(client, "p");
  process->end();
  session->set_retention(1h);
  testing::run_past(server.loop, 40ms);
  EXPECT_TRUE(process->alive);
}

TEST(Session, ProcessThatExitedButIsNotClosedIsKept) {
  FakeServer server([](Options& options) { options.session_retention = 1ms; });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  process->exit(0);
  testing::run_past(server.loop, 10ms);
  EXPECT_TRUE(process->alive);
}

/// A start of `p` is under way whose connection was cut; the session is resumed on a second one.
class CutStart : public ::testing::Test {
 protected:
  CutStart() {
    first.say(FakeServer::start_request("p"));
    first.hang_up();
    second.resume(id);
  }
  FakeServer server;
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  FakeClient second = server.connect();
};

TEST_F(CutStart, StartGoesOnWhenItsConnectionIsGone) {
  EXPECT_EQ(second.ask(read("p")), error_answer(-32600, "process id p is starting", "2"));
  EXPECT_EQ(second.ask(R"({"id":2,"method":"process/write","params":{"processId":"p","chunk":"","writeId":"w"}})"),
            R"({"id":2,"result":{"status":"starting"}})");
  const auto process = server.succeed();
  process->print("x");
  EXPECT_EQ(second.heard(), Texts{output("p", 1, "eA==")});
  EXPECT_EQ(first.heard(), Texts{});
}

TEST(Session, StartThatFailsWhenItsConnectionIsGoneFreesItsId) {
  FakeServer server;
  FakeClient first = server.connect();
  const std::string id = first.handshake();
  first.say(FakeServer::start_request("p"));
  first.hang_up();
  server.processes.fail_start({ErrorKind::io, "no"});
  FakeClient second = server.connect();
  second.resume(id);
  EXPECT_EQ(second.ask(read("p")), error_answer(-32600, "unknown process id p", "2"));
  server.start(second, "p");
}

TEST_F(CutStart, TerminateEndsAStartOfAnEarlierConnection) {
  second.say(R"({"id":2,"method":"process/terminate","params":{"processId":"p"}})");
  EXPECT_EQ(second.heard(), Texts{});
  const auto process = server.succeed();
  EXPECT_EQ(process->terminations, 1);
  EXPECT_EQ(second.heard(), Texts{R"({"id":2,"result":{"running":true}})"});
}

TEST_F(SessionStarts, TerminateOfAStartActsThoughItsConnectionIsGone) {
  client.say(FakeServer::start_request("p"));
  client.say(R"({"id":2,"method":"process/write","params":{"processId":"p","chunk":"YQ==","writeId":"w"}})");
  client.say(R"({"id":3,"method":"process/terminate","params":{"processId":"p"}})");
  client.hang_up();
  const auto process = server.succeed();
  EXPECT_EQ(process->terminations, 1);
  EXPECT_EQ(process->written, Texts{});  // abandoned with its connection
}

TEST_F(CutStart, TerminateOfAStartThatFailsFindsNothing) {
  second.say(R"({"id":2,"method":"process/terminate","params":{"processId":"p"}})");
  server.processes.fail_start({ErrorKind::io, "no"});
  EXPECT_EQ(second.heard(), Texts{R"({"id":2,"result":{"running":false}})"});
}

TEST(Session, StartThatFinishesAfterItsSessionIsGoneIsEnded) {
  FakeServer server([](Options& options) { options.session_retention = 0ms; });
  FakeClient client = server.connect();
  client.handshake();
  client.say(FakeServer::start_request("p"));
  client.hang_up();
  EXPECT_TRUE(testing::run_until(server.loop, [&] { return server.server->sessions().size() == 0; }));
  server.settle();
  EXPECT_FALSE(server.succeed()->alive);
  EXPECT_EQ(server.shared.counts.processes.load(), 0u);
}

TEST_F(SessionStarts, InvalidParamsAreToldBeforeAnIdInUse) {
  server.start(client, "p");
  EXPECT_EQ(client.ask(R"({"id":2,"method":"process/start","params":{"processId":"p","argv":[],"cwd":"file:///",)"
                       R"("env":{},"tty":false}})"),
            error_answer(-32602, "no program", "2"));
  EXPECT_EQ(server.processes.pending(), 0u);
}

TEST_F(SessionStarts, FailedStartFreesItsId) {
  client.say(FakeServer::start_request("p"));
  server.processes.fail_start({ErrorKind::io, "no"});
  EXPECT_EQ(client.heard(), Texts{error_answer(-32603, "no", "1")});
  EXPECT_EQ(server.shared.counts.processes.load(), 0u);
  server.start(client, "p");
}

TEST(Session, HasABoundOfProcessesNotClosed) {
  FakeServer server([](Options& options) { options.processes_per_session_max = 2; });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "a");
  client.say(FakeServer::start_request("b"));  // counts while it starts
  const auto refused = error_answer(-32600, "at most 2 processes may run in one session", "3");
  EXPECT_EQ(client.ask(FakeServer::start_request("c", "3")), refused);
  server.processes.fail_start({ErrorKind::io, "no"});
  client.heard();
  server.start(client, "b");
  process->exit(0);
  client.heard();
  EXPECT_EQ(client.ask(FakeServer::start_request("c", "3")), refused);
  process->close();
  client.heard();
  server.start(client, "c");
}

TEST(Session, TheBoundOfAllHoldsThoughLoopsStartAtTheSameTime) {
  constexpr int rounds = 20'000;
  Shared shared;
  std::atomic<int> arrived = 0;
  // Not a barrier of the library: who sleeps there wakes too late to meet the other.
  const auto meet = [&](int times) {
    ++arrived;
    for (int looks = 0; arrived < 2 * times; ++looks) {
      if (looks > 1000) std::this_thread::yield();
    }
  };
  std::atomic<int> admitted = 0;
  int most = 0, least = 2;
  const auto start_all = [&](bool counting) {
    Loop loop;
    testing::FakeProcessHost host;
    const auto session = std::make_shared<Session>(loop, host, shared, Session::Settings{"id", "subject", 1h, 2, 1, {}},
                                                   [](Session&) {});
    wire::StartParams params;
    params.argv = {"true"};
    for (int i = 0; i < rounds; ++i) {
      meet(2 * i + 1);
      session->start(params, nullptr, [](const Result<wire::StartResult>&) {});
      admitted += static_cast<int>(host.pending());
      meet(2 * i + 2);
      if (counting) {
        most = std::max(most, admitted.load());
        least = std::min(least, admitted.load());
        admitted = 0;
      }
      while (host.pending() > 0) host.fail_start({ErrorKind::io, "no"});
    }
  };
  std::jthread other(start_all, false);
  start_all(true);
  other.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(least, 1);
  EXPECT_EQ(shared.counts.processes.load(), 0u);
}

TEST(Session, AllTogetherHaveABoundOfProcessesNotClosed) {
  FakeServer server([](Options& options) { options.processes_max = 2; });
  FakeClient first = server.connect(), second = server.connect();
  first.handshake();
  second.handshake();
  const auto process = server.start(first, "a");
  server.start(second, "a");
  EXPECT_EQ(second.ask(FakeServer::start_request("b", "3")),
            error_answer(-32600, "at most 2 processes may run on this server", "3"));
  process->end();
  server.start(second, "b");
}

}  // namespace
}  // namespace outpost::server
