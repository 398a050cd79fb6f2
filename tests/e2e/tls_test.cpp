#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/program.h"
#include "support/temporary_folder.h"
#include "support/test_client.h"
#include "support/tls_client.h"

namespace outpost {
namespace {

using testing::Program;
using testing::TemporaryFolder;
using testing::TestCertificate;
using testing::TlsClient;

class TlsServe : public ::testing::Test {
 protected:
  TlsServe() { TestCertificate::make("first").write_to(certificate_, key_); }
  std::vector<std::string> arguments() {
    return {"serve", "--listen", "wss://127.0.0.1:0", "--tls-cert", certificate_, "--tls-key", key_};
  }
  /// The name in the certificate that a new connection meets, once `initialize` was answered over it.
  static std::string open(TlsClient& client) {
    client.say(testing::upgrade_request() +
               testing::TestClient::framed(R"({"id":1,"method":"initialize","params":{"clientName":"x"}})"));
    EXPECT_TRUE(client.wait_until([&] { return client.heard.contains("sessionId"); }));
    return client.peer_name();
  }

  const TemporaryFolder folder_;
  const std::string certificate_ = folder_.path("cert.pem"), key_ = folder_.path("key.pem");
};

std::uint16_t port_of(const std::string& url) {
  EXPECT_TRUE(url.starts_with("wss://127.0.0.1:")) << url;
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

TEST_F(TlsServe, CommandsRunOverIt) {
  Program program(arguments());
  const std::uint16_t port = port_of(program.line());
  TlsClient client(port);
  EXPECT_EQ(open(client), "first");
  client.say(testing::TestClient::framed(R"({"method":"initialized"})") +
             testing::TestClient::framed(
                 R"({"id":2,"method":"process/start","params":{"processId":"p","argv":["/bin/sh","-c","seq 100000"],)"
                 R"("cwd":"file:///","env":{"PATH":"/usr/bin:/bin"},"tty":false}})"));
  EXPECT_TRUE(client.wait_until([&] { return client.heard.contains("process/closed"); }));
  EXPECT_GT(client.heard.size(), 750'000u);
}

TEST_F(TlsServe, AHangUpReloadsTheCertificateUnderLoad) {
  auto with_loops = arguments();
  with_loops.insert(with_loops.end(), {"--loops", "2"});
  Program program(with_loops);
  const std::uint16_t port = port_of(program.line());
  TlsClient old(port);
  EXPECT_EQ(open(old), "first");
  std::atomic<bool> enough = false;
  std::atomic<int> opened = 0;
  std::vector<std::jthread> load;
  for (int i = 0; i < 3; ++i) {
    load.emplace_back([&] {
      while (!enough) {
        TlsClient client(port);
        EXPECT_FALSE(open(client).empty());
        ++opened;
      }
    });
  }
  // Each round a new certificate, and new connections all the time; the last one counts.
  for (int round = 1; round <= 5; ++round) {
    const std::string name = "round" + std::to_string(round);
    TestCertificate::make(name).write_to(certificate_, key_);
    program.signal(SIGHUP);
    const int before = opened;
    std::string met;
    while (met != name) {
      TlsClient client(port);
      met = open(client);
    }
    while (opened < before + 3) std::this_thread::yield();
  }
  enough = true;
  load.clear();
  // The old connection has lived through it all.
  old.heard.clear();
  old.say(testing::TestClient::framed(R"({"method":"initialized"})") +
          testing::TestClient::framed(R"({"id":9,"method":"environment/status"})"));
  EXPECT_TRUE(old.wait_until([&] { return old.heard.contains(R"({"id":9,"result":{"status":"ready"}})"); }));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 0);
}

TEST_F(TlsServe, AReloadThatFailsIsLoggedAndTheOldCertificateStays) {
  Program program(arguments());
  const std::uint16_t port = port_of(program.line());
  folder_.file("cert.pem", "broken");
  program.signal(SIGHUP);
  while (!program.errors().contains("certificate not reloaded")) std::this_thread::yield();
  TlsClient client(port);
  EXPECT_EQ(open(client), "first");
}

}  // namespace
}  // namespace outpost
