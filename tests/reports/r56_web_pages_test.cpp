// R56: a web page must not be able to talk to a local server.
#include "report.h"

namespace outpost {

TEST_F(Report, R56UpgradeOfAWebPageIsRefused) {
  for (const std::string origin : {"https://example.com", "null", "http://localhost", ""}) {
    testing::RawSocket socket(server.port());
    socket.send(testing::upgrade_request("Origin: " + origin + "\r\n"));
    const std::string head = socket.receive_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 403 ")) << head;
  }
  testing::TestClient other(server.port());
  other.handshake();
}

}  // namespace outpost
