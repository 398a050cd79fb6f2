#include <gtest/gtest.h>

#include "support/server_fixture.h"

#include "base/limits/connections.h"

namespace outpost::server {
namespace {

using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;
using RequestOrder = testing::ServerTest;

std::string request(const std::string& id, const std::string& method, const std::string& params) {
  return R"({"id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}
std::string write(const std::string& id, const std::string& base64) {
  return request(id, "process/write", R"({"processId":"p","chunk":")" + base64 + R"(","writeId":"w)" + id + R"("})");
}
std::string wait_for_news(const std::string& id, const std::string& process = "p") {
  return request(id, "process/read", R"({"processId":")" + process + R"(","waitMs":3600000})");
}
std::string status(const std::string& id) {
  return request(id, "environment/status", "null");
}
std::string ready(const std::string& id) {
  return R"({"id":)" + id + R"(,"result":{"status":"ready"}})";
}
std::string accepted(const std::string& id) {
  return R"({"id":)" + id + R"(,"result":{"status":"accepted"}})";
}
/// The answer to a read of one line `x` that is all there is.
std::string line_read(const std::string& id) {
  return R"({"id":)" + id +
         R"(,"result":{"chunks":[{"seq":1,"stream":"stdout","chunk":"eA=="}],"nextSeq":2,"exited":false,"exitCode":null,)"
         R"("closed":false,"failure":null,"sandboxDenied":false}})";
}

TEST_F(RequestOrder, WhatConcernsAProcessWaitsForItsStart) {
  client.say(FakeServer::start_request("p"));
  client.say(request("2", "process/read", R"({"processId":"p"})"));
  client.say(write("3", "YQ=="));
  client.say(write("4", "Yg=="));
  client.say(request("5", "process/signal", R"({"processId":"p","signal":"interrupt"})"));
  client.say(request("6", "process/terminate", R"({"processId":"p"})"));
  client.say(request("7", "outpost/process/closeStdin", R"({"processId":"p"})"));
  EXPECT_EQ(client.heard(), Texts{});

  const auto process = server.succeed();
  EXPECT_EQ(client.heard(),
            (Texts{FakeServer::started("p"),
                   R"({"id":2,"result":{"chunks":[],"nextSeq":1,"exited":false,"exitCode":null,"closed":false,)"
                   R"("failure":null,"sandboxDenied":false}})",
                   accepted("3"), accepted("4"), R"({"id":5,"result":{}})", R"({"id":6,"result":{"running":true}})",
                   accepted("7")}));
  EXPECT_EQ(process->written, (Texts{"a", "b"}));
  EXPECT_EQ(process->interrupts, 1);
  EXPECT_EQ(process->terminations, 1);
  EXPECT_TRUE(process->stdin_closed);
}

TEST_F(RequestOrder, WhatConcernsAProcessThatDidNotStartFindsNone) {
  client.say(FakeServer::start_request("p"));
  client.say(request("2", "process/read", R"({"processId":"p"})"));
  client.say(write("3", "YQ=="));
  client.say(request("5", "process/signal", R"({"processId":"p","signal":"interrupt"})"));
  client.say(request("6", "process/terminate", R"({"processId":"p"})"));
  server.processes.fail_start({ErrorKind::spawn_not_found, "none"});
  EXPECT_EQ(
      client.heard(),
      (Texts{R"({"error":{"code":-32603,"data":{"kind":"spawnNotFound"},"message":"none"},"id":1})",
             error_answer(-32600, "unknown process id p", "2"), R"({"id":3,"result":{"status":"unknownProcess"}})",
             R"({"id":5,"result":{}})", R"({"id":6,"result":{"running":false}})"}));
}

TEST_F(RequestOrder, OtherProcessesDoNotWaitForAStart) {
  server.start(client, "q");
  client.say(FakeServer::start_request("p"));
  EXPECT_EQ(client.ask(request("2", "process/terminate", R"({"processId":"q"})")),
            R"({"id":2,"result":{"running":true}})");
  EXPECT_EQ(client.ask(status("3")), ready("3"));
}

TEST_F(RequestOrder, ASecondStartOfAnIdWaitsForTheFirst) {
  client.say(FakeServer::start_request("p", "1"));
  client.say(FakeServer::start_request("p", "2"));
  client.say(write("3", "YQ=="));
  EXPECT_EQ(server.processes.pending(), 1u);
  const auto process = server.succeed();
  EXPECT_EQ(client.heard(), (Texts{FakeServer::started("p", "1"), error_answer(-32600, "process p already exists", "2"),
                                   accepted("3")}));
  EXPECT_EQ(process->written, Texts{"a"});
}

TEST_F(RequestOrder, ASecondStartOfAnIdBeginsWhenTheFirstHasFailed) {
  client.say(FakeServer::start_request("p", "1"));
  client.say(FakeServer::start_request("p", "2"));
  client.say(write("3", "YQ=="));
  server.processes.fail_start({ErrorKind::io, "first"});
  EXPECT_EQ(client.heard(), Texts{error_answer(-32603, "first", "1")});
  EXPECT_EQ(server.processes.pending(), 1u);
  const auto process = server.succeed();
  EXPECT_EQ(client.heard(), (Texts{FakeServer::started("p", "2"), accepted("3")}));
  EXPECT_EQ(process->written, Texts{"a"});
}

TEST_F(RequestOrder, AWaitingReadOrWriteHoldsUpNothing) {
  const auto process = server.start(client, "p");
  process->holds_writes = true;
  client.say(wait_for_news("2"));
  client.say(write("3", "YQ=="));
  EXPECT_EQ(client.heard(), Texts{});
  EXPECT_EQ(client.ask(status("4")), ready("4"));
  EXPECT_EQ(client.ask(request("5", "process/signal", R"({"processId":"p","signal":"interrupt"})")),
            R"({"id":5,"result":{}})");
  EXPECT_EQ(client.ask(request("6", "process/terminate", R"({"processId":"p"})")),
            R"({"id":6,"result":{"running":true}})");
  process->waiting_writes[0](fail(ErrorKind::stdin_failed, "failed to write to process stdin"));
  EXPECT_EQ(client.heard(), Texts{error_answer(-32603, "failed to write to process stdin", "3")});
}

TEST(LimitedRequests, OneAtATimeIsStrict) {
  FakeServer server([](Options& options) { options.concurrent_requests = 1; });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  client.say(wait_for_news("2"));
  client.say(status("3"));
  client.say(request("4", "no/such", "{}"));
  client.say(request("5", "process/terminate", R"({"processId":"p"})"));
  client.say(status("6"));
  EXPECT_EQ(client.heard(), Texts{});
  process->print("x");
  const Texts heard = client.heard();
  ASSERT_EQ(heard.size(), 6u);  // the notification first
  EXPECT_EQ(
      Texts(heard.begin() + 1, heard.end()),
      (Texts{line_read("2"), ready("3"), error_answer(-32601, "exec-server stub does not implement `no/such` yet", "4"),
             R"({"id":5,"result":{"running":true}})", ready("6")}));
}

TEST(LimitedRequests, OneAtATimeStartsAndReadsInTurn) {
  FakeServer server([](Options& options) { options.concurrent_requests = 1; });
  FakeClient client = server.connect();
  client.handshake();
  client.say(FakeServer::start_request("p"));
  client.say(FakeServer::start_request("q", "2"));
  EXPECT_EQ(server.processes.pending(), 1u);
  server.succeed();
  EXPECT_EQ(client.heard(), Texts{FakeServer::started("p")});
  EXPECT_EQ(server.processes.pending(), 1u);
  server.succeed();
  EXPECT_EQ(client.heard(), Texts{FakeServer::started("q", "2")});
}

TEST(LimitedRequests, FourAtATimeLetTheFifthWait) {
  FakeServer server([](Options& options) { options.concurrent_requests = 4; });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  server.start(client, "q");
  for (const char* id : {"11", "12", "13", "14"}) client.say(wait_for_news(id, "q"));
  client.say(FakeServer::start_request("r", "15"));
  client.say(write("16", "YQ=="));
  EXPECT_EQ(server.processes.pending(), 0u);
  EXPECT_EQ(process->written, Texts{});
  // These don't count and don't wait.
  EXPECT_EQ(client.ask(status("17")), ready("17"));
  EXPECT_EQ(client.ask(request("18", "environment/info", "null")),
            R"({"id":18,"result":)" + server.shared.environment_info_json + "}");
  EXPECT_EQ(client.ask(request("19", "process/signal", R"({"processId":"p","signal":"interrupt"})")),
            R"({"id":19,"result":{}})");
  EXPECT_EQ(client.ask(request("20", "no/such", "{}")),
            error_answer(-32601, "exec-server stub does not implement `no/such` yet", "20"));
  EXPECT_EQ(client.ask(request("21", "process/terminate", R"({"processId":"p"})")),
            R"({"id":21,"result":{"running":true}})");
}

TEST(LimitedRequests, WhoWaitsForATurnIsTakenInOrder) {
  FakeServer server([](Options& options) { options.concurrent_requests = 2; });
  FakeClient client = server.connect();
  client.handshake();
  const auto process = server.start(client, "p");
  process->holds_writes = true;
  for (const char* id : {"1", "2", "3", "4"}) client.say(write(id, "YQ=="));
  EXPECT_EQ(process->written.size(), 2u);
  process->waiting_writes[1](wire::WriteStatus::accepted);
  EXPECT_EQ(client.heard(), Texts{accepted("2")});
  EXPECT_EQ(process->written.size(), 3u);
  process->waiting_writes[2](wire::WriteStatus::accepted);
  EXPECT_EQ(client.heard(), Texts{accepted("3")});
  EXPECT_EQ(process->written.size(), 4u);
  process->waiting_writes[0](wire::WriteStatus::accepted);
  process->waiting_writes[3](wire::WriteStatus::accepted);
  EXPECT_EQ(client.heard(), (Texts{accepted("1"), accepted("4")}));
}

TEST(LimitedRequests, WhoWaitsForATurnWaitsForRoomForItsAnswerToo) {
  constexpr std::size_t reads = 100;
  FakeServer server([](Options& options) { options.concurrent_requests = 1; });
  FakeClient client = server.connect();
  client.handshake();
  const auto large = server.start(client, "large"), slow = server.start(client, "slow");
  large->print(std::string(limits::mib, 'x'));
  EXPECT_EQ(client.heard().size(), 1u);
  client.wire->stop_draining();
  client.say(wait_for_news("1", "slow"));
  for (std::size_t i = 0; i < reads; ++i) client.say(request("2", "process/read", R"({"processId":"large"})"));
  EXPECT_EQ(client.heard().size(), 0u);
  slow->print("x");
  server.settle();
  EXPECT_GT(client.wire->waiting_bytes(), limits::outgoing_bytes_busy);
  EXPECT_LT(client.wire->waiting_bytes(), limits::outgoing_bytes_busy + 2 * limits::mib);
  client.wire->drain_all();
  server.settle();
  EXPECT_EQ(client.heard().size(), 2 + reads);  // and a notification
}

TEST(LimitedRequests, WhatWaitsForATurnIsDroppedWithItsConnection) {
  FakeServer server([](Options& options) { options.concurrent_requests = 1; });
  FakeClient client = server.connect();
  client.handshake();
  server.start(client, "p");
  client.say(wait_for_news("2"));
  client.say(FakeServer::start_request("q", "3"));
  client.hang_up();
  EXPECT_EQ(server.processes.pending(), 0u);
  EXPECT_EQ(server.server->connections(), 0u);
}

}  // namespace
}  // namespace outpost::server
