#include <gtest/gtest.h>

#include <string>

#include "local/process/output_log.h"

namespace outpost::local {
namespace {

using capability::Keep;
using capability::OutputStream;
using limits::retained_process_bytes;

void append(OutputLog& log, std::size_t bytes) {
  log.append(OutputStream::stdout, as_bytes(std::string(bytes, 'x')));
}

TEST(OutputLogBudget, CountsItsOutputAndItself) {
  capability::RetainedBudget budget(1 << 20);
  {
    OutputLog log(1000, &budget);
    EXPECT_EQ(budget.used(), retained_process_bytes);
    append(log, 600);
    EXPECT_EQ(budget.used(), retained_process_bytes + 600);
    append(log, 600);
    EXPECT_EQ(budget.used(), retained_process_bytes + 600) << "the first went";
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(OutputLogBudget, WhoKeepsTheNewestMakesRoomForIt) {
  capability::RetainedBudget budget(retained_process_bytes + 500);
  OutputLog log(1000, &budget);
  append(log, 400);
  EXPECT_EQ(log.room(), SIZE_MAX);
  append(log, 200);
  EXPECT_EQ(log.first_seq(), 2u);
}

TEST(OutputLogBudget, WhoKeepsTheUnprovedWaits) {
  capability::RetainedBudget budget(retained_process_bytes + 500);
  OutputLog log(1000, &budget);
  log.set_keep(Keep::unproved);
  append(log, 499);
  EXPECT_EQ(log.room(), 501u);
  append(log, 1);
  EXPECT_EQ(log.room(), 0u);
  log.prove_through(1);
  EXPECT_EQ(log.room(), 499u) << "in the place of what may go";
  append(log, 100);
  EXPECT_EQ(log.first_seq(), 2u);
  EXPECT_EQ(log.evict_proved(1000), 0u);
  log.prove_through(2);
  EXPECT_EQ(log.evict_proved(1000), 1u);
  EXPECT_FALSE(budget.full());
}

}  // namespace
}  // namespace outpost::local
