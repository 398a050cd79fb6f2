#pragma once

#include <gtest/gtest.h>

#include "support/program.h"
#include "support/test_client.h"

/// Cases that users of such programs have reported, each in a file named by its id: what must hold, on the real
/// program.
namespace outpost {

using Texts = std::vector<std::string>;

/// A server of its own and a client behind the handshake.
class Report : public ::testing::Test {
 protected:
  Report() { client.handshake(); }
  testing::TestServer server;
  testing::TestClient client{server.port()};
};

}  // namespace outpost
