#include <gtest/gtest.h>

#include "support/fake_recorder.h"
#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::FakeClient;
using testing::FakeRecorder;
using testing::FakeServer;
using Counts = std::map<std::string, std::int64_t>;

/// A server that is recorded; more loops than one only to give connections away.
struct RecordedServer {
  explicit RecordedServer(FakeRecorder& recorder, std::size_t loops = 1, const std::function<void(Options&)>& set = {})
      : server(set, loops) {
    server.shared.recorder = &recorder;
  }
  FakeServer server;
};

TEST(Telemetry, NamesSpansByRegisteredMethodsOnly) {
  FakeRecorder recorder;
  RecordedServer recorded(recorder);
  FakeClient client = recorded.server.connect();
  client.handshake();
  const std::string long_name(100'000, 'x');
  client.ask(R"({"id":1,"method":")" + long_name + R"("})");
  client.ask(R"({"id":2,"method":"environment/status"})");
  ASSERT_EQ(recorder.spans.size(), 3u);
  EXPECT_EQ(recorder.spans[0]->name, "initialize");
  EXPECT_EQ(recorder.spans[1]->name, "unknown");
  const std::string& method = recorder.spans[1]->attributes["method"];
  EXPECT_TRUE(method.starts_with("xxx"));
  EXPECT_LT(method.size(), 2000u);
  EXPECT_EQ(recorder.spans[2]->name, "environment/status");
  EXPECT_EQ(recorder.spans[2]->attributes["method"], "environment/status");
  EXPECT_EQ(recorder.counts["requests{unknown,error}"], 1);
}

TEST(Telemetry, TellsWhenARequestWasBegunAndAnswered) {
  FakeRecorder recorder;
  RecordedServer recorded(recorder);
  FakeClient client = recorded.server.connect();
  client.handshake();
  const auto span = recorder.span("initialize");
  EXPECT_TRUE(span.ended);
  EXPECT_EQ(span.attributes.at("result"), "success");
  EXPECT_LE(std::stoll(span.attributes.at("rpc.dispatch_offset_ns")),
            std::stoll(span.attributes.at("rpc.response_enqueue_offset_ns")));
}

TEST(Telemetry, WhatWaitsWhenItsConnectionEndsIsDisconnected) {
  FakeRecorder recorder;
  RecordedServer recorded(recorder);
  FakeClient client = recorded.server.connect();
  client.handshake();
  recorded.server.start(client, "p");
  client.say(R"({"id":2,"method":"process/read","params":{"processId":"p","waitMs":3600000}})");
  client.hang_up();
  const auto span = recorder.span("process/read");
  EXPECT_TRUE(span.ended);
  EXPECT_EQ(span.attributes.at("result"), "disconnected");
  EXPECT_FALSE(span.attributes.contains("rpc.response_enqueue_offset_ns"));
  EXPECT_EQ(recorder.counts["requests{process/read,disconnected}"], 1);
}

TEST(Telemetry, WhatWaitsForItsTurnIsKnownByItsMethod) {
  FakeRecorder recorder;
  RecordedServer recorded(recorder, 1, [](Options& options) { options.concurrent_requests = 1; });
  FakeClient client = recorded.server.connect();
  client.handshake();
  recorded.server.start(client, "p");
  client.say(R"({"id":2,"method":"process/read","params":{"processId":"p","waitMs":3600000}})");
  client.say(R"({"id":3,"method":"environment/status"})");
  client.hang_up();
  EXPECT_EQ(recorder.counts["requests{environment/status,disconnected}"], 1);
  EXPECT_EQ(recorder.counts["request_queue_duration{environment/status}"], 0);
}

TEST(Telemetry, AMovedConnectionIsCountedOnceAndItsInitializeToo) {
  FakeRecorder recorder;
  RecordedServer from(recorder, 2), to(recorder);
  std::string id;
  for (int i = 0; SessionTable::loop_of(id, 2) != 1; ++i) id = "session-" + std::to_string(i);
  FakeClient client = from.server.connect();
  client.say(FakeClient::resume_request(id));
  ASSERT_EQ(from.server.handed_over.size(), 1u);
  EXPECT_EQ(recorder.counts["connections_active{websocket}"], 1);
  {
    FakeClient moved = to.server.adopt(std::move(from.server.handed_over[0].second));
    EXPECT_EQ(moved.heard().size(), 1u);
    EXPECT_EQ(recorder.counts["connections{websocket}"], 1);
    EXPECT_EQ(recorder.counts["connections_active{websocket}"], 1);
    EXPECT_EQ(recorder.counts["requests{initialize,error}"], 1);
    EXPECT_EQ(recorder.counts["request_duration{initialize,error}"], 1);
    EXPECT_EQ(recorder.spans.size(), 1u);
    EXPECT_TRUE(recorder.spans[0]->ended);
    moved.hang_up();
  }
  EXPECT_EQ(recorder.counts["connections_active{websocket}"], 0);
}

TEST(Telemetry, AProcessHasASpanBelowItsStart) {
  FakeRecorder recorder;
  RecordedServer recorded(recorder);
  FakeClient client = recorded.server.connect();
  client.handshake();
  const auto process = recorded.server.start(client, "p");
  EXPECT_FALSE(recorder.span("codex.exec_server.process").ended);
  EXPECT_EQ(recorder.counts["processes_active{}"], 1);
  process->end(3);
  const auto span = recorder.span("codex.exec_server.process");
  EXPECT_TRUE(span.ended);
  EXPECT_EQ(span.parent, telemetry::format_traceparent(recorder.span("process/start").context));
  EXPECT_EQ(span.attributes, (std::map<std::string, std::string>{{"process.id", "p"}, {"result", "error"}}));
  EXPECT_EQ(recorder.counts["processes_finished{error}"], 1);
  EXPECT_EQ(recorder.counts["processes_active{}"], 0);
}

TEST(Telemetry, AProcessThatEndsWithItsSessionIsTerminated) {
  FakeRecorder recorder;
  RecordedServer recorded(recorder, 1,
                          [](Options& options) { options.session_retention = std::chrono::milliseconds(1); });
  FakeClient client = recorded.server.connect();
  client.handshake();
  const auto process = recorded.server.start(client, "p");
  client.hang_up();
  EXPECT_TRUE(testing::run_until(recorded.server.loop, [&] { return !process->alive; }));
  EXPECT_EQ(recorder.counts["processes_finished{terminated}"], 1);
  EXPECT_EQ(recorder.span("codex.exec_server.process").attributes.at("result"), "terminated");
}

}  // namespace
}  // namespace outpost::server
