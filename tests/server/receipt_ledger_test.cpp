#include "server/receipt_ledger.h"

#include <gtest/gtest.h>

namespace outpost::server {
namespace {

TEST(ReceiptLedger, AMarkIsDueBehindEnoughBytes) {
  ReceiptLedger ledger;
  EXPECT_FALSE(ledger.sent(limits::bytes_between_marks - 1));
  EXPECT_TRUE(ledger.sent(1));
  ledger.marked(1000);
  EXPECT_FALSE(ledger.due());
  EXPECT_FALSE(ledger.sent(limits::bytes_between_marks - 1));
  EXPECT_TRUE(ledger.sent(1));
}

TEST(ReceiptLedger, CountsFromOne) {
  ReceiptLedger ledger;
  EXPECT_EQ(ledger.next(), 1u);
  EXPECT_FALSE(ledger.was_sent(0));
  EXPECT_FALSE(ledger.was_sent(1));
  ledger.marked(10);
  EXPECT_EQ(ledger.next(), 2u);
  EXPECT_TRUE(ledger.was_sent(1));
  EXPECT_FALSE(ledger.was_sent(2));
}

TEST(ReceiptLedger, AnAnswerProvesItsMarkAndAllBefore) {
  ReceiptLedger ledger;
  for (const std::uint64_t offset : {10u, 20u, 30u}) ledger.marked(offset);
  EXPECT_EQ(ledger.prove(2), 20u);
  EXPECT_EQ(ledger.prove(1), std::nullopt) << "not outstanding any more";
  EXPECT_EQ(ledger.prove(2), std::nullopt);
  EXPECT_EQ(ledger.prove(4), std::nullopt) << "never sent";
  EXPECT_TRUE(ledger.outstanding());
  EXPECT_EQ(ledger.prove(3), 30u);
  EXPECT_FALSE(ledger.outstanding());
}

TEST(ReceiptLedger, CoversWhatEndedBeforeItsLastMark) {
  ReceiptLedger ledger;
  EXPECT_FALSE(ledger.covers(1));
  ledger.marked(10);
  EXPECT_TRUE(ledger.covers(10));
  EXPECT_FALSE(ledger.covers(11));
}

TEST(ReceiptLedger, BoundsTheMarksThatWait) {
  ReceiptLedger ledger;
  for (std::size_t i = 0; i < limits::marks_outstanding_max; ++i) {
    EXPECT_TRUE(ledger.may_mark());
    ledger.marked(i + 1);
  }
  EXPECT_FALSE(ledger.may_mark());
  EXPECT_FALSE(ledger.sent(limits::bytes_between_marks)) << "one more must wait";
  EXPECT_EQ(ledger.prove(1), 1u);
  EXPECT_TRUE(ledger.due());
}

}  // namespace
}  // namespace outpost::server
