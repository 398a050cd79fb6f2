#include <gtest/gtest.h>

#include "base/limits/processes.h"
#include "support/program.h"
#include "support/test_client.h"
#include "wire/protocol/environment.h"

namespace outpost {
namespace {

using testing::TestClient;
using testing::TestServer;

/// A write that fills the queue for stdin, whatever the pipe has taken.
wire::WriteParams large_write(const std::string& id) {
  wire::WriteParams params;
  params.process_id = "p";
  params.chunk.bytes = Bytes(limits::stdin_bytes_max);
  std::ranges::fill(params.chunk.bytes.whole(), std::byte{'x'});
  params.write_id = id;
  return params;
}

TEST(AbandonedRequests, AWriteThatWaitsForRoomEndsWithItsConnection) {
  TestServer server;
  TestClient first(server.port());
  const std::string session = first.handshake();
  first.shell("p", "trap 'exec wc -c' INT; echo ready; while :; do sleep 0.05; done", {.pipe_stdin = true});
  first.wait_until([&] { return first.followed("p").out == "ready\n"; });
  EXPECT_TRUE(first.call<wire::WriteResult>("process/write", large_write("taken")));
  first.request("process/write", large_write("waits"));
  // Requests are taken in the order in which they come, so the write waits when this is answered.
  EXPECT_TRUE(first.call<wire::EmptyObject>("environment/status", wire::EmptyObject{}));
  first.close();

  TestClient second(server.port());
  second.resume(session);
  wire::SignalParams interrupt;
  interrupt.process_id = "p";
  EXPECT_TRUE(second.call<wire::EmptyObject>("process/signal", interrupt));
  wire::CloseStdinParams no_more;
  no_more.process_id = "p";
  EXPECT_TRUE(second.call<wire::WriteResult>("outpost/process/closeStdin", no_more));
  EXPECT_EQ(second.wait_closed("p").out, std::to_string(limits::stdin_bytes_max) + "\n");
}

}  // namespace
}  // namespace outpost
