#include <string>
#include <vector>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::error_answer;
using testing::FakeServer;
using Texts = std::vector<std::string>;

std::string request(const std::string& id, const std::string& method, const std::string& params) {
  return R"({"id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}
std::string metadata(const std::string& id) {
  return request(id, "fs/getMetadata", R"({"path":"file:///a"})");
}
std::string read_file(const std::string& id) {
  return request(id, "fs/readFile", R"({"path":"file:///a"})");
}
std::string write_file(const std::string& id) {
  return request(id, "fs/writeFile", R"({"path":"file:///a","dataBase64":"eA=="})");
}
std::string copy(const std::string& id) {
  return request(id, "fs/copy", R"({"sourcePath":"file:///a","destinationPath":"file:///b","recursive":true})");
}
std::string cancel(const std::string& id, const std::string& of) {
  return request(id, "outpost/cancel", R"({"id":)" + of + "}");
}
std::string done(const std::string& id) {
  return R"({"id":)" + id + R"(,"result":{}})";
}
std::string found(const std::string& id, bool found) {
  return R"({"id":)" + id + R"(,"result":{"found":)" + (found ? "true" : "false") + "}}";
}
std::string cancelled(const std::string& id) {
  return error_answer(-32800, "request cancelled", id);
}
capability::FileContents contents(std::size_t bytes) {
  return {Bytes(bytes)};
}

class FileRequestsTest : public testing::ServerTest {
 protected:
  std::size_t asked() const { return server.files.calls.size(); }
  void answer(std::size_t index) { server.files.answer(index, wire::EmptyObject{}); }
};

TEST_F(FileRequestsTest, ReadsRunBesideEachOtherAndAnswersComeAsTheyAreReady) {
  client.say(read_file("1"));
  client.say(metadata("2"));
  ASSERT_EQ(asked(), 2u);
  server.files.answer(1, wire::GetMetadataResult{});
  server.files.answer(0, capability::FileContents{Bytes::copy_of(as_bytes("abc"))});
  const Texts heard = client.heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_TRUE(heard[0].starts_with(R"({"id":2,)"));
  EXPECT_EQ(heard[1], R"({"id":1,"result":{"dataBase64":"YWJj"}})");
}

TEST_F(FileRequestsTest, AMutationIsABarrierForTheFilesOfItsConnectionAlone) {
  auto other = server.connect();
  other.handshake();
  client.say(write_file("1"));
  client.say(metadata("2"));
  EXPECT_EQ(asked(), 1u);
  other.say(metadata("1"));
  EXPECT_EQ(asked(), 2u) << "another connection";
  EXPECT_EQ(client.ask(request("3", "environment/status", "{}")), R"({"id":3,"result":{"status":"ready"}})");
  answer(0);
  EXPECT_EQ(client.heard(), Texts{done("1")});
  EXPECT_EQ(asked(), 3u);
}

TEST_F(FileRequestsTest, AStartWaitsForTheMutationsBeforeItAndWhatIsAboutTheProcessForTheStart) {
  client.say(write_file("1"));
  client.say(FakeServer::start_request("p", "2"));
  client.say(FakeServer::start_request("q", "3"));
  client.say(request("4", "process/read", R"({"processId":"p"})"));
  client.say(request("5", "process/write", R"({"processId":"p","chunk":"eA==","writeId":"w"})"));
  EXPECT_EQ(server.processes.pending(), 0u);
  EXPECT_EQ(client.heard(), Texts{});
  answer(0);
  EXPECT_EQ(client.heard(), Texts{done("1")});
  EXPECT_EQ(server.processes.pending(), 2u);
  server.succeed();
  const Texts heard = client.heard();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0], FakeServer::started("p", "2"));
  EXPECT_TRUE(heard[1].starts_with(R"({"id":4,"result":{"chunks":[])")) << heard[1];
  EXPECT_EQ(heard[2], R"({"id":5,"result":{"status":"accepted"}})");
  server.succeed();
}

TEST_F(FileRequestsTest, ATerminateOfAStartThatWaitsEndsTheProcess) {
  client.say(write_file("1"));
  client.say(FakeServer::start_request("p", "2"));
  client.say(request("3", "process/terminate", R"({"processId":"p"})"));
  answer(0);
  EXPECT_EQ(client.heard(), Texts{done("1")});
  const auto process = server.succeed();
  EXPECT_EQ(process->terminations, 1);
  EXPECT_EQ(client.heard(), (Texts{FakeServer::started("p", "2"), R"({"id":3,"result":{"running":true}})"}));
}

TEST_F(FileRequestsTest, ABlockThatIsGivenUpWhileItIsReadHasItsHandleUntilThatIsOver) {
  client.say(request("1", "fs/readBlock", R"({"handleId":"h","offset":0,"len":1})"));
  client.say(request("2", "fs/close", R"({"handleId":"h"})"));
  client.say(cancel("3", "1"));
  EXPECT_EQ(client.heard(), (Texts{cancelled("1"), found("3", true)}));
  EXPECT_EQ(asked(), 1u) << "a thread may be reading it still";
  server.files.answer(0, capability::FileBlock{Bytes(1), true});
  EXPECT_EQ(asked(), 2u);
  answer(1);
  EXPECT_EQ(client.heard(), Texts{done("2")});
}

TEST_F(FileRequestsTest, AnAnswerThatIsReadyLateWaitsForRoom) {
  client.wire->stop_draining();
  for (const char* id : {"1", "2", "3"}) client.say(read_file(id));
  server.files.answer(0, contents(limits::outgoing_bytes_busy));
  EXPECT_TRUE(server.files.flowing);
  server.files.answer(1, contents(limits::outgoing_bytes_busy));
  EXPECT_FALSE(server.files.flowing);
  EXPECT_LT(client.wire->waiting_bytes(), 2 * limits::outgoing_bytes_busy);
  client.wire->drain_all();
  EXPECT_EQ(client.heard().size(), 2u);
  EXPECT_TRUE(server.files.flowing);
}

TEST_F(FileRequestsTest, TheEndOfTheConnectionStopsWhatRuns) {
  client.say(copy("1"));
  client.say(metadata("2"));
  ASSERT_EQ(asked(), 1u);
  client.hang_up();
  EXPECT_TRUE(server.files.calls[0].stop.stop_requested());
  EXPECT_EQ(server.files.clients, 0);
  EXPECT_EQ(asked(), 1u) << "what waited isn't begun";
}

TEST_F(FileRequestsTest, TheChangeOfSomethingMissingIsTold) {
  client.say(request("1", "fs/watchMissing", R"({"watchId":7,"missing":["file:///a"]})"));
  server.files.answer(0, wire::WatchMissingResult{true});
  EXPECT_EQ(client.heard(), Texts{R"({"id":1,"result":{"watching":true}})"});
  server.files.missing_changed(7);
  EXPECT_EQ(client.heard(), Texts{R"({"method":"fs/missingChanged","params":{"watchId":7}})"});
}

TEST_F(FileRequestsTest, BlocksAreAnsweredWithTheirEnd) {
  client.say(request("1", "fs/readBlock", R"({"handleId":"h","offset":0,"len":4})"));
  client.say(request("\"x\"", "fs/readBlock", R"({"handleId":"g","offset":0,"len":4})"));
  server.files.answer(0, capability::FileBlock{Bytes::copy_of(as_bytes("a")), true});
  server.files.answer(1, capability::FileBlock{Bytes::copy_of(as_bytes("abcd")), false});
  EXPECT_EQ(client.heard(), (Texts{R"({"id":1,"result":{"chunk":"YQ==","eof":true}})",
                                   R"({"id":"x","result":{"chunk":"YWJjZA==","eof":false}})"}));
}

TEST_F(FileRequestsTest, OverTheNumberInFlightTheConnectionIsNotReadButForCloses) {
  for (std::size_t i = 0; i < limits::requests_in_flight_max - 1; ++i) client.say(metadata("1"));
  client.say(request("2", "fs/close", R"({"handleId":"h"})"));
  EXPECT_FALSE(client.wire->paused()) << "fs/close doesn't count";
  client.say(metadata("3"));
  EXPECT_TRUE(client.wire->paused());
}

class CancelTest : public FileRequestsTest {};

TEST_F(CancelTest, AReadIsAnsweredAtOnceAndItsResultDropped) {
  for (const char* method : {"fs/readFile", "fs/canonicalize", "fs/readDirectory", "outpost/fs/digest"}) {
    const std::size_t index = asked();
    client.say(request("9", method, R"({"path":"file:///a"})"));
    client.say(cancel("10", "9"));
    EXPECT_EQ(client.heard(), (Texts{cancelled("9"), found("10", true)})) << method;
    EXPECT_TRUE(server.files.calls[index].stop.stop_requested());
    answer(index);
    EXPECT_EQ(client.heard(), Texts{});
  }
}

TEST_F(CancelTest, ACopyIsAnsweredWhenItHasStopped) {
  client.say(copy("9"));
  client.say(cancel("10", "9"));
  EXPECT_EQ(client.heard(), Texts{found("10", true)});
  EXPECT_TRUE(server.files.calls[0].stop.stop_requested());
  server.files.answer(0, fail(ErrorKind::cancelled, "request cancelled"));
  EXPECT_EQ(client.heard(), Texts{cancelled("9")});
}

TEST_F(CancelTest, AMutationOfOneCallIsNotStopped) {
  client.say(write_file("9"));
  client.say(cancel("10", "9"));
  EXPECT_EQ(client.heard(), Texts{found("10", true)});
  EXPECT_FALSE(server.files.calls[0].stop.stop_requested());
  answer(0);
  EXPECT_EQ(client.heard(), Texts{done("9")});
}

TEST_F(CancelTest, WhatWaitsForItsTurnIsNotBegun) {
  client.say(write_file("1"));
  client.say(write_file("9"));
  client.say(FakeServer::start_request("p", "8"));
  client.say(cancel("10", "9"));
  client.say(cancel("11", "8"));
  EXPECT_EQ(client.heard(), (Texts{cancelled("9"), found("10", true), cancelled("8"), found("11", true)}));
  answer(0);
  EXPECT_EQ(client.heard(), Texts{done("1")});
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(server.processes.pending(), 0u);
}

TEST_F(CancelTest, AWaitingReadOfAProcessIsEnded) {
  const auto process = server.start(client, "p");
  client.say(request("9", "process/read", R"({"processId":"p","waitMs":60000})"));
  client.say(cancel("10", "9"));
  EXPECT_EQ(client.heard(), (Texts{cancelled("9"), found("10", true)}));
  process->print("x");
  EXPECT_EQ(client.heard().size(), 1u) << "the notification alone";
}

TEST_F(CancelTest, AllOfOneIdAreMeantAndOnlyThose) {
  client.say(metadata("9"));
  client.say(metadata("9"));
  client.say(metadata("\"9\""));
  client.say(cancel("10", "9"));
  EXPECT_EQ(client.heard(), (Texts{cancelled("9"), cancelled("9"), found("10", true)}));
  client.say(cancel("11", "9"));
  client.say(cancel("12", "\"9\""));
  EXPECT_EQ(client.heard(), (Texts{found("11", false), cancelled("\"9\""), found("12", true)}));
  EXPECT_EQ(client.ask(cancel("13", "13")), found("13", false)) << "itself";
}

TEST_F(CancelTest, OneOfTwoIdsIsNeeded) {
  const std::string text = "exactly one of id and httpRequestId is needed";
  EXPECT_EQ(client.ask(request("1", "outpost/cancel", "{}")), error_answer(-32602, text, "1"));
  EXPECT_EQ(client.ask(request("1", "outpost/cancel", R"({"id":2,"httpRequestId":"x"})")),
            error_answer(-32602, text, "1"));
  EXPECT_EQ(client.ask(request("1", "outpost/cancel", R"({"httpRequestId":"x"})")), found("1", false));
  EXPECT_EQ(client.ask(request("1", "outpost/cancel", R"({"id":2,"other":1})")),
            error_answer(-32602, "unknown field `other`, expected `id` or `httpRequestId`", "1"));
  EXPECT_EQ(client.ask(request("1", "outpost/cancel", R"({"id":1.5})")), error_answer(-32602, "invalid number", "1"));
}

TEST(StrictRequests, ACancelWaitsForNothing) {
  FakeServer server([](Options& options) { options.concurrent_requests = 1; });
  auto client = server.connect();
  client.handshake();
  client.say(metadata("1"));
  client.say(metadata("2"));
  ASSERT_EQ(server.files.calls.size(), 1u);
  client.say(cancel("10", "2"));
  EXPECT_EQ(client.heard(), (Texts{cancelled("2"), found("10", true)}));
  client.say(cancel("11", "1"));
  EXPECT_EQ(client.heard(), (Texts{cancelled("1"), found("11", true)}));
  EXPECT_EQ(server.files.calls.size(), 1u);
}

}  // namespace
}  // namespace outpost::server
