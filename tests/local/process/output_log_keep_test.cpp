#include <gtest/gtest.h>

#include <string>

#include "local/process/output_log.h"

namespace outpost::local {
namespace {

using capability::Keep;
using capability::OutputStream;

/// A log of 1000 bytes for a client that must lose nothing.
class OutputLogKeep : public ::testing::Test {
 protected:
  OutputLogKeep() { log.set_keep(Keep::unproved); }
  /// One entry that is sent and ends at `offset`; 0: not sent.
  void append(std::size_t bytes, std::uint64_t offset = 0) {
    log.append(OutputStream::stdout, as_bytes(std::string(bytes, 'x')));
    if (offset != 0) log.note_sent(log.state().next_seq - 1, offset);
  }
  OutputLog log{1000};
};

TEST_F(OutputLogKeep, TheNewestAloneNeedNoRoom) {
  log.set_keep(Keep::newest);
  EXPECT_EQ(log.room(), SIZE_MAX);
  append(1000);
  EXPECT_EQ(log.room(), SIZE_MAX);
}

TEST_F(OutputLogKeep, WhatIsNotProvedTakesRoom) {
  EXPECT_EQ(log.room(), 1000u);
  append(600, 10);
  append(400, 20);
  EXPECT_EQ(log.room(), 0u);
  EXPECT_EQ(log.undelivered().bytes, 1000u);
  EXPECT_EQ(log.undelivered().sent_offset, 10u);
  log.prove_sent(9);
  EXPECT_EQ(log.room(), 0u);
  log.prove_sent(10);
  EXPECT_EQ(log.room(), 600u);
  EXPECT_EQ(log.first_seq(), 1u) << "what is proved stays until its room is needed";
  append(100, 30);
  EXPECT_EQ(log.first_seq(), 2u);
  log.prove_sent(30);
  EXPECT_EQ(log.undelivered().bytes, 0u);
  EXPECT_EQ(log.room(), 1000u);
}

TEST_F(OutputLogKeep, ReadingOnProves) {
  append(600);
  append(400);
  log.prove_through(1);
  EXPECT_EQ(log.room(), 600u);
  log.prove_through(UINT64_MAX);
  EXPECT_EQ(log.room(), 1000u);
}

TEST_F(OutputLogKeep, ANewConnectionHasToProveAnew) {
  append(300, 10);
  append(300, 20);
  log.prove_sent(10);
  log.begin_delivery();
  log.prove_sent(1000);
  EXPECT_EQ(log.undelivered().bytes, 300u) << "it was another connection's offset";
  append(100, 5);
  log.prove_sent(5);
  EXPECT_EQ(log.undelivered().bytes, 400u) << "the hole stays";
  log.note_sent(2, 7);  // it was read
  log.prove_sent(7);
  EXPECT_EQ(log.undelivered().bytes, 0u);
}

TEST_F(OutputLogKeep, ABacklogIsKeptUntilItIsReleased) {
  append(500);
  append(400);
  log.begin_delivery();
  append(100, 1);
  log.prove_sent(1);
  EXPECT_EQ(log.room(), 0u);
  log.note_sent(2, 2);
  log.release_backlog();
  EXPECT_EQ(log.room(), 500u) << "what was sent of it is kept";
  log.prove_sent(2);
  EXPECT_EQ(log.room(), 1000u);
  log.begin_delivery();
  EXPECT_EQ(log.undelivered().bytes, 1000u) << "nobody has proved the first";
}

TEST_F(OutputLogKeep, ProofStaysWhenNobodyIsThere) {
  append(500, 1);
  append(500, 2);
  log.prove_sent(1);
  log.set_keep(Keep::held);
  EXPECT_EQ(log.room(), 500u);
  log.set_keep(Keep::newest);
  append(700);
  EXPECT_EQ(log.first_seq(), 3u);
}

TEST_F(OutputLogKeep, EntriesAreRoomAsWell) {
  OutputLog small(1 << 20);
  small.set_keep(Keep::unproved);
  for (std::size_t i = 0; i < limits::retained_output_entries_max; ++i) {
    ASSERT_GT(small.room(), 0u) << i;
    small.append(OutputStream::stdout, as_bytes(std::string_view("x")));
  }
  EXPECT_EQ(small.room(), 0u);
  EXPECT_EQ(small.first_seq(), 1u);
  small.prove_through(1);
  EXPECT_EQ(small.room(), limits::output_chunk_bytes_max);
}

TEST_F(OutputLogKeep, ExitAndCloseNeedNoRoom) {
  append(1000);
  log.append_exit(0, false);
  log.append_close();
  EXPECT_EQ(log.first_seq(), 1u);
  EXPECT_EQ(log.state().next_seq, 4u);
}

}  // namespace
}  // namespace outpost::local
