#include "server/file_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace outpost::server {
namespace {

using Texts = std::vector<std::string>;

class FileOrderTest : public ::testing::Test {
 protected:
  FileOrder::Number add(const std::string& name, FileTurn turn, const std::string& handle = "") {
    const FileOrder::Number number = order.next_number();
    order.add(number, turn, !handle.empty(), handle, [this, name] { begun.push_back(name); });
    return number;
  }
  Texts take() { return std::exchange(begun, {}); }

  bool open = true;
  FileOrder order{[this] { return open; }};
  Texts begun;
};

TEST_F(FileOrderTest, ReadsRunBesideEachOther) {
  add("a", FileTurn::read);
  add("b", FileTurn::read);
  EXPECT_EQ(take(), (Texts{"a", "b"}));
}

TEST_F(FileOrderTest, AMutationWaitsForAllBeforeItAndHoldsAllBehindIt) {
  const auto a = add("a", FileTurn::read), b = add("b", FileTurn::read), m = add("m", FileTurn::mutation);
  add("c", FileTurn::read);
  take();
  order.finished(a);
  EXPECT_EQ(take(), Texts{});
  order.finished(b);
  EXPECT_EQ(take(), Texts{"m"});
  order.finished(m);
  EXPECT_EQ(take(), Texts{"c"});
  EXPECT_EQ(order.size(), 1u);
}

TEST_F(FileOrderTest, BlocksOfDifferentHandlesRunBesideEachOtherThoseOfOneInOrder) {
  const auto a = add("a1", FileTurn::block, "a");
  add("a2", FileTurn::block, "a");
  add("b1", FileTurn::block, "b");
  EXPECT_EQ(take(), (Texts{"a1", "b1"}));
  add("r", FileTurn::read);
  order.finished(a);
  EXPECT_EQ(take(), Texts{"a2"});
}

TEST_F(FileOrderTest, ReadsOfOneHandleAreInOrder) {
  const auto first = add("1", FileTurn::read, "h");
  add("2", FileTurn::read, "h");
  add("other", FileTurn::read, "g");
  EXPECT_EQ(take(), (Texts{"1", "other"}));
  order.finished(first);
  EXPECT_EQ(take(), Texts{"2"});
}

TEST_F(FileOrderTest, TheCloseOfWhatWasOpenedForReadingIsNoBarrier) {
  order.opened_for_reading("h");
  add("read", FileTurn::read);
  add("close", FileTurn::close, "h");
  add("later", FileTurn::read);
  EXPECT_EQ(take(), (Texts{"read", "close", "later"}));
  order.not_for_reading("h");
  add("barrier", FileTurn::close, "h2");
  EXPECT_EQ(take(), Texts{});
}

TEST_F(FileOrderTest, WhatIsOverAtOnceLetsTheNextOneBegin) {
  const auto number = order.next_number();
  order.add(number, FileTurn::mutation, false, "", [&] {
    begun.emplace_back("at once");
    order.finished(number);
  });
  add("next", FileTurn::mutation);
  EXPECT_EQ(take(), (Texts{"at once", "next"}));
}

TEST_F(FileOrderTest, WhatWaitsCanBeGivenUp) {
  const auto held = add("m1", FileTurn::mutation), waiting = add("m2", FileTurn::mutation);
  add("r", FileTurn::read);
  take();
  order.finished(waiting);
  order.finished(held);
  EXPECT_EQ(take(), Texts{"r"});
}

TEST_F(FileOrderTest, AStartWaitsForMutationsOnlyAndHoldsNothing) {
  add("read", FileTurn::read);
  const auto m = add("m", FileTurn::mutation);
  take();
  const auto start = order.next_number();
  order.add(start, FileTurn::start, false, "p", [this] { begun.emplace_back("start"); });
  EXPECT_TRUE(order.start_waits("p"));
  EXPECT_FALSE(order.start_waits("q"));
  const auto later = add("later", FileTurn::mutation);
  order.follow_start("p", [this] { begun.emplace_back("write"); });
  order.follow_start("p", [this] { begun.emplace_back("read"); });
  EXPECT_EQ(take(), Texts{});
  order.finished(1);
  EXPECT_EQ(take(), Texts{"m"});
  order.finished(m);
  EXPECT_EQ(take(), (Texts{"start", "write", "read", "later"}));
  EXPECT_FALSE(order.start_waits("p"));
  order.finished(later);
  EXPECT_EQ(order.size(), 0u);
}

TEST_F(FileOrderTest, NothingBeginsWithoutRoom) {
  open = false;
  add("a", FileTurn::read);
  EXPECT_EQ(take(), Texts{});
  open = true;
  order.advance();
  EXPECT_EQ(take(), Texts{"a"});
}

}  // namespace
}  // namespace outpost::server
