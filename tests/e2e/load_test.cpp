#include <gtest/gtest.h>

#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::TestClient;
using testing::TestServer;

TEST(Load, ManyClientsOnSeveralLoops) {
  TestServer server({"--loops", "4"});
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 32; ++i) clients.push_back(std::make_unique<TestClient>(server.port()));
  for (const auto& client : clients) client->handshake();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i]->shell("p", "echo " + std::to_string(i) + "; read line; seq 1 2000; echo $line; exit 3",
                      {.pipe_stdin = true});
  }
  std::string numbers;
  for (int i = 1; i <= 2000; ++i) numbers += std::to_string(i) + "\n";
  for (std::size_t i = clients.size(); i-- > 0;) {
    const std::string name = std::to_string(i);
    EXPECT_EQ(clients[i]->write("p", "end " + name + "\n", "w"), wire::WriteStatus::accepted);
    const auto& process = clients[i]->wait_closed("p");
    EXPECT_EQ(process.out, name + "\n" + numbers + "end " + name + "\n");
    EXPECT_EQ(process.exit_code, 3);
  }
}

TEST(Load, ManyProcessesAtOnceOfOneSession) {
  TestServer server;
  TestClient client(server.port());
  client.handshake();
  std::vector<std::int64_t> requests;
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i);
    requests.push_back(client.request(
        "process/start",
        client.start_params(name, {"/bin/sh", "-c", "read line; echo " + name + " $line"}, {.pipe_stdin = true})));
  }
  for (const std::int64_t request : requests) {
    EXPECT_NE(client.answer(request).find("\"result\""), std::string::npos) << client.answer(request);
  }
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.write(std::to_string(i), "x\n", "w"), wire::WriteStatus::accepted);
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i);
    EXPECT_EQ(client.wait_closed(name).out, name + " x\n");
  }
}

TEST(Load, MoreRequestsThanMayBeInFlightAreAllAnswered) {
  TestServer server;
  TestClient client(server.port());
  client.handshake();
  std::vector<std::int64_t> requests;
  for (int i = 0; i < 3000; ++i) requests.push_back(client.request("environment/status", wire::EmptyObject{}));
  for (const std::int64_t request : requests) {
    EXPECT_EQ(client.answer(request), R"({"id":)" + std::to_string(request) + R"(,"result":{"status":"ready"}})");
  }
}

}  // namespace
}  // namespace outpost
