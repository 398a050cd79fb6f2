#include "server/session_table.h"

#include <gtest/gtest.h>

#include <set>

#include "support/fake_machine.h"

namespace outpost::server {
namespace {

using namespace std::chrono_literals;

struct Tables {
  std::unique_ptr<SessionTable> make(std::size_t index = 0, std::size_t loops = 1) {
    return std::make_unique<SessionTable>(loop, host, shared, index, loops);
  }
  Loop loop;
  testing::FakeProcessHost host;
  Shared shared;
};

TEST(SessionTable, DrawsIdsThatFallOnTheirLoop) {
  Tables tables;
  std::set<std::string> ids;
  for (std::size_t index = 0; index < 4; ++index) {
    const auto table = tables.make(index, 4);
    for (int i = 0; i < 32; ++i) {
      const std::string id = (*table->create("s", 1h))->id();
      EXPECT_EQ(SessionTable::loop_of(id, 4), index);
      EXPECT_EQ(id.size(), 36u);
      EXPECT_TRUE(ids.insert(id).second);
    }
  }
}

TEST(SessionTable, FindsASessionForItsSubjectOnly) {
  Tables tables;
  const auto table = tables.make();
  const auto session = *table->create("alice", 1h);
  const auto found = table->find(session->id(), "alice");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, session);
  for (const std::string subject : {"bob", "", "alice "}) {
    const auto other = table->find(session->id(), subject);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().kind, ErrorKind::unknown_session);
    EXPECT_EQ(other.error().message, "unknown session id " + session->id());
  }
  EXPECT_FALSE(table->find("", "alice"));
}

TEST(SessionTable, BoundsTheSessionsOfAllLoops) {
  Tables tables;
  tables.shared.options.sessions_max = 3;
  const auto first = tables.make(0, 2), second = tables.make(1, 2);
  EXPECT_TRUE(first->create("s", 1h));
  EXPECT_TRUE(second->create("s", 1h));
  EXPECT_TRUE(second->create("s", 1h));
  const auto refused = first->create("s", 1h);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::limit_reached);
  EXPECT_EQ(refused.error().message, "at most 3 sessions may exist");
  second->end_all();
  EXPECT_EQ(second->size(), 0u);
  EXPECT_TRUE(first->create("s", 1h));
  EXPECT_TRUE(first->create("s", 1h));
  EXPECT_FALSE(first->create("s", 1h));
}

TEST(SessionTable, GrantsNoMoreThanTheLongestRetention) {
  Tables tables;
  tables.shared.options.session_retention_max = 5s;
  const auto table = tables.make();
  EXPECT_EQ((*table->create("s", 5s))->retention(), 5s);
  EXPECT_EQ((*table->create("s", 6s))->retention(), 5s);
  EXPECT_EQ((*table->create("s", 0s))->retention(), 0s);
}

}  // namespace
}  // namespace outpost::server
