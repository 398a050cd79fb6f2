#include <gtest/gtest.h>

#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using testing::FakeClient;
using testing::FakeServer;
using testing::run_until;

class Retained : public ::testing::Test {
 protected:
  Retained() {
    server.shared.retained = &budget;
    client.handshake();
  }
  /// A process that retains so much, of which its client has so much.
  std::shared_ptr<testing::FakeProcess> start(const std::string& id, std::size_t bytes, std::size_t evictable = 0) {
    auto process = server.start(client, id);
    process->budget = &budget;
    process->retained_bytes = bytes;
    process->evictable = evictable;
    budget.add(bytes);
    return process;
  }
  capability::RetainedBudget budget{1000};
  FakeServer server;
  FakeClient client = server.connect();
};

TEST_F(Retained, TheLongestClosedIsForgottenFirst) {
  const auto a = start("a", 300), b = start("b", 300), c = start("c", 200, 200);
  b->end();
  a->end();
  c->print("x");
  testing::run_past(server.loop, std::chrono::milliseconds(5));
  EXPECT_TRUE(b->alive) << "below the bound";
  client.heard();
  const auto d = start("d", 200);
  d->print("x");
  EXPECT_TRUE(run_until(server.loop, [&] { return !b->alive; }));
  EXPECT_TRUE(a->alive);
  EXPECT_EQ(c->evictable, 200u) << "there was no need";
  client.heard();
  EXPECT_TRUE(
      client.ask(R"({"id":1,"method":"process/read","params":{"processId":"b"}})").contains("unknown process id b"));
}

TEST_F(Retained, ThenOutputGoesThatItsClientHasTheLargestLogFirst) {
  const auto small = start("small", 300, 300), large = start("large", 600, 600);
  const auto third = start("third", 150);
  third->print("x");
  EXPECT_TRUE(run_until(server.loop, [&] { return third->rooms > 0; }));
  EXPECT_EQ(large->evictable, 0u);
  EXPECT_EQ(small->evictable, 300u);
  EXPECT_FALSE(budget.full());
}

TEST_F(Retained, WhoCanNotBeHelpedIsLookedAtAgain) {
  const auto process = start("p", 1000);
  process->print("x");
  EXPECT_TRUE(run_until(server.loop, [&] { return process->rooms > 2; }));
  EXPECT_TRUE(process->alive);
}

}  // namespace
}  // namespace outpost::server
