#include "server/request_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace outpost::server {
namespace {

/// A duty towards nobody.
rpc::Reply reply(std::int64_t id = 1) {
  return rpc::Reply({}, wire::RequestId(id), 0);
}

TEST(RequestQueue, WithoutALimitEverythingBegins) {
  RequestQueue queue(std::nullopt);
  EXPECT_FALSE(queue.limited());
  EXPECT_FALSE(queue.strict());
  for (int i = 0; i < 5000; ++i) EXPECT_TRUE(queue.try_begin());
  EXPECT_FALSE(queue.next());
}

TEST(RequestQueue, OfOneIsStrict) {
  EXPECT_TRUE(RequestQueue(1).strict());
  EXPECT_TRUE(RequestQueue(1).limited());
  EXPECT_FALSE(RequestQueue(2).strict());
  EXPECT_TRUE(RequestQueue(2).limited());
}

TEST(RequestQueue, BeginsAsManyAsItsLimit) {
  RequestQueue queue(3);
  EXPECT_TRUE(queue.try_begin());
  EXPECT_TRUE(queue.try_begin());
  EXPECT_TRUE(queue.try_begin());
  EXPECT_FALSE(queue.try_begin());
  queue.finished();
  EXPECT_TRUE(queue.try_begin());
}

TEST(RequestQueue, NobodyOvertakesWhoWaits) {
  RequestQueue queue(1);
  EXPECT_TRUE(queue.try_begin());
  queue.wait("a", reply(1));
  queue.finished();
  EXPECT_FALSE(queue.try_begin());
  const auto first = queue.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "a");
}

TEST(RequestQueue, GivesOutInOrderAsThereIsRoom) {
  RequestQueue queue(1);
  EXPECT_TRUE(queue.try_begin());
  queue.wait("a", reply(1));
  queue.wait("b", reply(2));
  EXPECT_EQ(queue.waiting(), 2u);
  EXPECT_FALSE(queue.next());
  queue.finished();
  const auto first = queue.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "a");
  EXPECT_EQ(first->reply.id(), wire::RequestId(1));
  EXPECT_FALSE(queue.next());
  queue.finished();
  const auto second = queue.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "b");
  EXPECT_EQ(queue.waiting(), 0u);
}

}  // namespace
}  // namespace outpost::server
