#include <gtest/gtest.h>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;

struct Row {
  const char* method;
  const char* good_params;
  const char* bad_params;
  const char* bad_text;
  const char* family;
};

/// Every method with params that decode and some that don't.
const Row rows[] = {
    {"environment/info", "null", "[1]", nullptr, "environment info"},
    {"environment/status", "{}", "3", nullptr, "environment status"},
    {"fs/getMetadata", R"({"path":"file:///"})", "{}", "missing field `path`", "filesystem"},
    {"http/request", R"({"method":"GET","url":"http://x/","requestId":""})", "{}", "missing field `method`", "http"},
    {"outpost/process/closeStdin", R"({"processId":"p"})", "{}", "missing field `processId`", "outpost"},
    {"process/read", R"({"processId":"p"})", "{}", "missing field `processId`", "exec"},
    {"process/signal", R"({"processId":"p","signal":"interrupt"})", R"({"processId":"p"})", "missing field `signal`",
     "exec"},
    {"process/start", R"({"processId":"p","argv":["a"],"cwd":"file:///","env":{},"tty":false})", R"({"processId":"p"})",
     "missing field `argv`", "exec"},
    {"process/terminate", R"({"processId":"p"})", R"({"processId":3})", nullptr, "exec"},
    {"process/write", R"({"processId":"p","chunk":"","writeId":"w"})", R"({"processId":"p","chunk":""})",
     "missing field `writeId`", "exec"},
};

std::string request(const std::string& method, const std::string& params) {
  return R"({"id":1,"method":")" + method + R"(","params":)" + params + "}";
}

void expect_bad_params(FakeClient& client, const Row& row) {
  const std::string answer = client.ask(request(row.method, row.bad_params));
  EXPECT_TRUE(answer.starts_with(R"({"error":{"code":-32602,"message":")")) << row.method << ": " << answer;
  if (row.bad_text != nullptr) EXPECT_EQ(answer, error_answer(-32602, row.bad_text, "1")) << row.method;
}

TEST(Handshake, UnknownMethodsAndBadParamsComeBeforeIt) {
  FakeServer server;
  FakeClient client = server.connect();
  EXPECT_EQ(client.ask(request("no/such", "{}")),
            error_answer(-32601, "exec-server stub does not implement `no/such` yet", "1"));
  for (const Row& row : rows) expect_bad_params(client, row);
  EXPECT_EQ(client.ask(request("initialize", "{}")), error_answer(-32602, "missing field `clientName`", "1"));
}

TEST(Handshake, NothingIsUsableBeforeInitialize) {
  FakeServer server;
  FakeClient client = server.connect();
  for (const Row& row : rows) {
    EXPECT_EQ(
        client.ask(request(row.method, row.good_params)),
        error_answer(-32600, "client must call initialize before using " + std::string(row.family) + " methods", "1"));
  }
  EXPECT_EQ(server.processes.pending(), 0u);
}

TEST(Handshake, NothingIsUsableBeforeInitialized) {
  FakeServer server;
  FakeClient client = server.connect();
  client.initialize();
  for (const Row& row : rows) {
    EXPECT_EQ(
        client.ask(request(row.method, row.good_params)),
        error_answer(-32600, "client must send initialized before using " + std::string(row.family) + " methods", "1"));
    expect_bad_params(client, row);
  }
}

TEST(Handshake, SucceedsOncePerConnection) {
  FakeServer server;
  FakeClient client = server.connect();
  client.initialize();
  const auto again = error_answer(-32600, "initialize may only be sent once per connection", "1");
  EXPECT_EQ(client.ask(request("initialize", R"({"clientName":""})")), again);
  client.say(R"({"method":"initialized"})");
  EXPECT_EQ(client.ask(request("initialize", R"({"clientName":""})")), again);
}

TEST(Handshake, MayBeTriedAgainAfterAFailure) {
  FakeServer server;
  FakeClient client = server.connect();
  client.ask(request("initialize", "{}"));
  EXPECT_EQ(client.ask(request("initialize", R"({"clientName":"","resumeSessionId":"nobody"})")),
            error_answer(-32600, "unknown session id nobody", "1"));
  client.handshake();
  EXPECT_EQ(client.ask(request("environment/status", "null")), R"({"id":1,"result":{"status":"ready"}})");
}

TEST(Handshake, MayComeInOneGoWithTheFirstRequests) {
  FakeServer server;
  FakeClient client = server.connect();
  client.wire->say(R"({"id":0,"method":"initialize","params":{"clientName":"t"}})");
  client.wire->say(R"({"method":"initialized","params":{"what":1}})");
  client.wire->say(request("environment/status", "null"));
  client.say(R"({"method":"initialized"})");
  const Texts answers = client.heard();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1], R"({"id":1,"result":{"status":"ready"}})");
  EXPECT_FALSE(client.wire->ended());
}

TEST(Handshake, TellsTheEnvironmentAsEnvironmentInfoDoes) {
  FakeServer server;
  FakeClient client = server.connect();
  const std::string info = server.shared.environment_info_json;
  const std::string answer = client.ask(R"({"id":0,"method":"initialize","params":{"clientName":"t"}})");
  EXPECT_TRUE(answer.ends_with(R"(,"environmentInfo":)" + info + "}}")) << answer;
  client.say(R"({"method":"initialized"})");
  EXPECT_EQ(client.ask(request("environment/info", "{}")), R"({"id":1,"result":)" + info + "}");
}

TEST(Handshake, TellsWhatWasGrantedToThoseWhoAsk) {
  FakeServer server([](Options& options) { options.session_retention_max = std::chrono::milliseconds(90'000); });
  FakeClient asking = server.connect();
  const auto answer = asking.ask(request("initialize", R"({"clientName":"","outpost":{"retentionMs":100000}})"));
  EXPECT_TRUE(answer.ends_with(R"(,"outpost":{"retentionMs":90000,"resumed":false,"receipts":"ping"}}})")) << answer;
  FakeClient silent = server.connect();
  EXPECT_EQ(silent.ask(request("initialize", R"({"clientName":""})")).find("outpost"), std::string::npos);
}

TEST(Handshake, UnexpectedNotificationsEndTheConnection) {
  for (const std::string method : {"initialized", "process/start", "other"}) {
    FakeServer server;
    FakeClient client = server.connect();
    client.say(R"({"method":")" + method + R"("})");
    EXPECT_TRUE(client.wire->ended()) << method;
    EXPECT_EQ(client.heard(), Texts{});
    EXPECT_EQ(server.server->connections(), 0u);
  }
}

TEST(Handshake, NotificationsOtherThanInitializedEndTheConnectionAlsoLater) {
  FakeServer server;
  FakeClient client = server.connect();
  client.handshake();
  client.say(R"({"method":"initialized"})");
  EXPECT_FALSE(client.wire->ended());
  client.say(R"({"method":"environment/status"})");
  EXPECT_TRUE(client.wire->ended());
}

TEST(Handshake, HttpIsUnknownBehindIt) {
  FakeServer server;
  FakeClient client = server.connect();
  client.handshake();
  EXPECT_EQ(client.ask(request("http/request", R"({"method":"GET","url":"http://x/","requestId":""})")),
            error_answer(-32601, "exec-server stub does not implement `http/request` yet", "1"));
}

TEST(Handshake, FilesAreAskedBehindIt) {
  FakeServer server;
  FakeClient client = server.connect();
  client.handshake();
  client.say(request("fs/getMetadata", R"({"path":"file:///a"})"));
  EXPECT_EQ(server.files.asked<wire::GetMetadataParams>(0).path.text, "file:///a");
  EXPECT_EQ(client.heard(), Texts{});
  server.files.answer(0, wire::GetMetadataResult{.is_file = true, .size = 3});
  EXPECT_EQ(client.heard(), Texts{R"({"id":1,"result":{"isDirectory":false,"isFile":true,"isSymlink":false,)"
                                  R"("size":3,"createdAtMs":0,"modifiedAtMs":0}})"});
  client.say(request("fs/getMetadata", R"({"path":"file:///b"})"));
  server.files.answer(1, fail(ErrorKind::not_found, "gone"));
  EXPECT_EQ(client.heard(), Texts{error_answer(-32004, "gone", "1")});
}

TEST(LoopServer, EndsEverythingAndAcceptsNothingAfterwards) {
  FakeServer server;
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  server.server->end_all();
  server.settle();
  EXPECT_TRUE(client.wire->ended());
  EXPECT_EQ(process->terminations, 1);
  EXPECT_FALSE(process->alive);
  EXPECT_EQ(server.server->connections(), 0u);
  EXPECT_EQ(server.server->sessions().size(), 0u);
  auto late = std::make_shared<testing::FakeWire>();
  server.server->accept(std::make_unique<testing::FakeChannel>(late), "anonymous");
  EXPECT_EQ(server.server->connections(), 0u);
}

}  // namespace
}  // namespace outpost::server
