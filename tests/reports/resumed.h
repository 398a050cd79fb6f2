#pragma once

#include <memory>
#include <string>

#include "report.h"

namespace outpost {

/// A server, and a session whose connection can be cut and made anew.
class ResumeReport : public ::testing::Test {
 protected:
  explicit ResumeReport(std::vector<std::string> options = {}) : server(std::move(options)) {
    client = std::make_unique<testing::TestClient>(server.port());
    session = client->handshake();
  }
  void cut() { client.reset(); }
  void resume() {
    client = std::make_unique<testing::TestClient>(server.port());
    client->resume(session);
  }
  /// All that is retained behind `after_seq`.
  wire::ReadResult read(const std::string& id, std::uint64_t after_seq = 0) {
    wire::ReadParams params;
    params.process_id = id;
    params.after_seq = after_seq;
    auto result = client->call<wire::ReadResult>("process/read", params);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? *std::move(result) : wire::ReadResult{};
  }
  bool terminate(const std::string& id) {
    wire::TerminateParams params;
    params.process_id = id;
    const auto result = client->call<wire::TerminateResult>("process/terminate", params);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result && result->running;
  }
  static std::string text_of(const wire::ReadResult& result) {
    std::string text;
    for (const auto& chunk : result.chunks) text += as_text(chunk.chunk.bytes.view());
    return text;
  }

  testing::TestServer server;
  std::unique_ptr<testing::TestClient> client;
  std::string session;
};

}  // namespace outpost
