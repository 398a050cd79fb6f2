#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/run_until.h"
#include "server/loop_server.h"
#include "support/fake_channel.h"
#include "support/fake_machine.h"

namespace outpost::testing {

/// Runs `loop` until everything that was due within `delay` has happened: a timer set now comes behind those.
inline void run_past(Loop& loop, std::chrono::milliseconds delay) {
  bool passed = false;
  Timer timer(loop);
  timer.start(delay, [&] { passed = true; });
  EXPECT_TRUE(run_until(loop, [&] { return passed; }));
}

/// One connection to a `FakeServer`, as its client sees it.
class FakeClient {
 public:
  FakeClient(std::shared_ptr<FakeWire> the_wire, std::function<void()> settle)
      : wire(std::move(the_wire)), settle_(std::move(settle)) {}

  void say(std::string text) {
    wire->say(std::move(text));
    settle_();
  }
  /// What came since the last call.
  std::vector<std::string> heard() {
    settle_();
    return wire->heard();
  }
  /// Says one message and gives the only one that came back for it.
  std::string ask(std::string text) {
    EXPECT_EQ(heard().size(), 0u) << "before " << text;
    say(std::move(text));
    const std::vector<std::string> answers = heard();
    EXPECT_EQ(answers.size(), 1u);
    return answers.empty() ? "" : answers.front();
  }
  /// Gives the id of the session.
  std::string initialize() { return session_of(ask(R"({"id":0,"method":"initialize","params":{"clientName":"t"}})")); }
  std::string handshake() {
    std::string session = initialize();
    say(R"({"method":"initialized"})");
    return session;
  }
  /// Takes up a session again, the whole handshake.
  std::string resume(const std::string& session) {
    std::string answer = ask(resume_request(session));
    say(R"({"method":"initialized"})");
    return answer;
  }
  static std::string resume_request(const std::string& session) {
    return R"({"id":0,"method":"initialize","params":{"clientName":"t","resumeSessionId":")" + session + R"("}})";
  }
  static std::string session_of(const std::string& answer) {
    constexpr std::string_view before = R"({"id":0,"result":{"sessionId":")";
    EXPECT_TRUE(answer.starts_with(before)) << answer;
    return answer.substr(std::min(before.size(), answer.size()), 36);
  }
  void hang_up() {
    wire->hang_up();
    settle_();
  }

  std::shared_ptr<FakeWire> wire;

 private:
  std::function<void()> settle_;
};

/// A server on one loop over a machine that the test plays.
class FakeServer {
 public:
  /// With `loops` above 1 it is the loop of index 0; the test plays the others.
  explicit FakeServer(const std::function<void(server::Options&)>& set = {}, std::size_t loops = 1) {
    if (set) set(shared.options);
    shared.environment_info_json = R"({"shell":{"name":"sh","path":"/bin/sh"}})";
    shared.hand_over = [this](std::size_t loop_index, server::MovedConnection moved) {
      handed_over.emplace_back(loop_index, std::move(moved));
    };
    shared.post_to = [this](std::size_t, server::ServerTask task) { task(*server); };
    server = std::make_unique<server::LoopServer>(loop, server::Capabilities{processes, files}, shared, 0, loops);
  }
  ~FakeServer() {
    server->end_all();
    settle();
  }

  FakeClient connect(std::string subject = "anonymous") {
    auto wire = std::make_shared<FakeWire>();
    server->accept(std::make_unique<FakeChannel>(wire), std::move(subject));
    return follow(std::move(wire));
  }
  /// A connection that came from another loop.
  FakeClient adopt(server::MovedConnection moved) {
    auto wire = dynamic_cast<DissolvedFake&>(*moved.channel).wire;
    server->adopt(std::make_unique<FakeChannel>(wire), std::move(moved));
    return follow(std::move(wire));
  }
  /// Lets everything happen that can happen now.
  void settle() {
    bool moved = true;
    while (moved) {
      moved = loop.run_ready() > 0;
      for (const auto& wire : wires_) {
        const bool told = wire->finish_close();
        const bool read = wire->pump();
        moved = moved || told || read;
      }
    }
  }
  /// The start that waits longest succeeds.
  std::shared_ptr<FakeProcess> succeed() {
    auto process = processes.succeed();
    settle();
    return process;
  }
  /// Starts a process and drops the answer.
  std::shared_ptr<FakeProcess> start(FakeClient& client, const std::string& id) {
    client.say(start_request(id));
    EXPECT_EQ(processes.pending(), 1u);
    auto process = succeed();
    EXPECT_EQ(client.heard(), std::vector<std::string>{started(id)});
    return process;
  }
  static std::string start_request(const std::string& id, const std::string& request_id = "1") {
    return R"({"id":)" + request_id + R"(,"method":"process/start","params":{"processId":")" + id +
           R"(","argv":["true"],"cwd":"file:///","env":{},"tty":false}})";
  }
  static std::string started(const std::string& id, const std::string& request_id = "1") {
    return R"({"id":)" + request_id + R"(,"result":{"processId":")" + id + R"(","sandboxType":"none"}})";
  }

  Loop loop;
  FakeProcessHost processes;
  FakeFileSystem files;
  server::Shared shared;
  std::unique_ptr<server::LoopServer> server;
  std::vector<std::pair<std::size_t, server::MovedConnection>> handed_over;

 private:
  FakeClient follow(std::shared_ptr<FakeWire> wire) {
    wires_.push_back(wire);
    return FakeClient(std::move(wire), [this] { settle(); });
  }
  std::vector<std::shared_ptr<FakeWire>> wires_;
};

/// A server, and a client of it behind the handshake.
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { client.handshake(); }
  FakeServer server;
  FakeClient client = server.connect();
};

/// `{"error":{"code":CODE,"message":TEXT},"id":ID}`, TEXT being free of what JSON escapes.
inline std::string error_answer(int code, const std::string& text, const std::string& id) {
  return R"({"error":{"code":)" + std::to_string(code) + R"(,"message":")" + text + R"("},"id":)" + id + "}";
}

}  // namespace outpost::testing
