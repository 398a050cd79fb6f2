#include "local/process/output_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/limits/processes.h"

namespace outpost::local {
namespace {

using capability::EventView;
using capability::OutputStream;
using capability::OutputView;
using Kind = capability::EventView::Kind;

/// Appends `text`; the number of its last entry.
std::uint64_t append(OutputLog& log, std::string_view text, OutputStream stream = OutputStream::stdout) {
  log.append(stream, as_bytes(text));
  return log.state().next_seq - 1;
}

std::string read_all(const OutputLog& log, std::uint64_t after_seq = 0) {
  std::vector<OutputView> chunks;
  log.read(after_seq, std::nullopt, chunks);
  std::string text;
  for (const OutputView& chunk : chunks) text += as_text(chunk.bytes);
  return text;
}

struct Read {
  std::vector<std::uint64_t> seqs;
  std::uint64_t next_seq;
};
Read read(const OutputLog& log, std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max = {}) {
  std::vector<OutputView> chunks;
  const std::uint64_t next = log.read(after_seq, bytes_max, chunks);
  Read result{{}, next};
  for (const OutputView& chunk : chunks) result.seqs.push_back(chunk.seq);
  return result;
}

using Seqs = std::vector<std::uint64_t>;

TEST(OutputLog, EmptyOneHasNothing) {
  OutputLog log;
  EXPECT_EQ(log.first_seq(), 1u);
  EXPECT_EQ(log.retain_bytes_max(), 1048576u);
  EXPECT_FALSE(log.next_event(0));
  EXPECT_FALSE(log.next_event(UINT64_MAX));
  EXPECT_EQ(read(log, 0).next_seq, 1u);
  EXPECT_EQ(log.state().next_seq, 1u);
  EXPECT_FALSE(log.state().exited());
  EXPECT_FALSE(log.state().closed);
}

TEST(OutputLog, NumbersOutputExitAndCloseTogether) {
  OutputLog log;
  EXPECT_EQ(append(log, "a"), 1u);
  EXPECT_EQ(append(log, "b", OutputStream::stderr), 2u);
  EXPECT_EQ(log.append_exit(3, true), 3u);
  EXPECT_EQ(append(log, "late"), 4u);
  EXPECT_FALSE(log.state().closed);
  EXPECT_EQ(log.append_close(), 5u);
  EXPECT_EQ(log.state().next_seq, 6u);
  EXPECT_EQ(log.state().exit_code, 3);
  EXPECT_TRUE(log.state().sandbox_denied);
  EXPECT_TRUE(log.state().closed);
}

TEST(OutputLog, GivesEventsOneByOneWithTheExitBetweenOutputs) {
  OutputLog log;
  append(log, "a");
  append(log, "b", OutputStream::stderr);
  log.append_exit(3, false);
  append(log, "late");
  log.append_close();
  const std::vector<Kind> expected = {Kind::output, Kind::output, Kind::exited, Kind::output, Kind::closed};
  for (std::uint64_t seq = 1; seq <= 5; ++seq) {
    const auto event = log.next_event(seq - 1);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->seq, seq);
    EXPECT_EQ(event->kind, expected[seq - 1]);
  }
  EXPECT_EQ(as_text(log.next_event(1)->bytes), "b");
  EXPECT_EQ(log.next_event(1)->stream, OutputStream::stderr);
  EXPECT_EQ(log.next_event(2)->exit_code, 3);
  EXPECT_FALSE(log.next_event(5));
  EXPECT_FALSE(log.next_event(UINT64_MAX));
}

TEST(OutputLog, GivesExitAndCloseThoughTheOutputAroundThemIsGone) {
  OutputLog log(8);
  append(log, "aaaaaaaa");
  log.append_exit(0, false);
  append(log, "bbbbbbbb");
  append(log, "cccccccc");
  log.append_close();
  EXPECT_EQ(log.next_event(0)->seq, 2u);
  EXPECT_EQ(log.next_event(2)->seq, 4u);
  EXPECT_EQ(log.next_event(4)->kind, Kind::closed);
}

TEST(OutputLog, ReadWithoutABoundGivesAllAndTheFullNumber) {
  OutputLog log;
  append(log, "aa");
  append(log, "bb");
  log.append_exit(0, false);
  append(log, "cc");
  log.append_close();
  EXPECT_EQ(read(log, 0).seqs, (Seqs{1, 2, 4}));
  EXPECT_EQ(read(log, 0).next_seq, 6u);
  EXPECT_EQ(read(log, 1).seqs, (Seqs{2, 4}));
  EXPECT_EQ(read(log, 2).seqs, (Seqs{4}));
  EXPECT_EQ(read(log, 3).seqs, (Seqs{4}));
  EXPECT_EQ(read(log, 4).seqs, (Seqs{}));
  EXPECT_EQ(read(log, 4).next_seq, 6u);
  EXPECT_EQ(read(log, UINT64_MAX).seqs, (Seqs{}));
}

TEST(OutputLog, ReadWithABoundStopsBeforeItAndGoesOnBehindTheLastChunk) {
  OutputLog log;
  append(log, "aa");
  append(log, "bb");
  log.append_exit(0, false);
  append(log, "cc");
  EXPECT_EQ(read(log, 0, 3).seqs, (Seqs{1}));
  EXPECT_EQ(read(log, 0, 3).next_seq, 2u);
  EXPECT_EQ(read(log, 0, 4).seqs, (Seqs{1, 2}));
  EXPECT_EQ(read(log, 0, 4).next_seq, 3u);
  EXPECT_EQ(read(log, 2, 100).seqs, (Seqs{4}));
  EXPECT_EQ(read(log, 2, 100).next_seq, 5u);
}

TEST(OutputLog, ReadWithABoundGivesTheFirstChunkWholeEvenWithZero) {
  OutputLog log;
  append(log, "aaaa");
  append(log, "b");
  EXPECT_EQ(read(log, 0, 0).seqs, (Seqs{1}));
  EXPECT_EQ(read(log, 0, 3).seqs, (Seqs{1}));
  EXPECT_EQ(read(log, 0, UINT64_MAX).seqs, (Seqs{1, 2}));
}

TEST(OutputLog, ReadWithABoundAndWithoutChunksGivesTheFullNumber) {
  OutputLog log;
  append(log, "a");
  log.append_exit(0, false);
  log.append_close();
  EXPECT_EQ(read(log, 1, 5).next_seq, 4u);
  // With a bound the number is behind the chunk although nothing was cut off.
  EXPECT_EQ(read(log, 0, 5).next_seq, 2u);
}

TEST(OutputLog, KeepsOneMebibyteAndDropsTheOldestChunksWhole) {
  OutputLog log;
  const std::string chunk(1000, 'x');
  while (log.retained_bytes() + chunk.size() <= 1048576) append(log, chunk);
  EXPECT_EQ(log.first_seq(), 1u);
  append(log, chunk);
  EXPECT_GT(log.first_seq(), 1u);
  EXPECT_LE(log.retained_bytes(), 1048576u);
  for (int i = 0; i < 5000; ++i) {
    append(log, chunk);
    ASSERT_LE(log.retained_bytes(), 1048576u);
    ASSERT_GT(log.retained_bytes(), 1048576u - 2 * chunk.size());
  }
  EXPECT_EQ(read_all(log).size(), log.retained_bytes());
}

TEST(OutputLog, FillsToTheLastByte) {
  OutputLog log;
  const std::string chunk(65536, 'x');
  for (int i = 0; i < 16; ++i) append(log, chunk);
  EXPECT_EQ(log.retained_bytes(), 1048576u);
  EXPECT_EQ(log.first_seq(), 1u);
  append(log, "y");
  EXPECT_EQ(log.first_seq(), 2u);
  EXPECT_EQ(log.retained_bytes(), 1048576u - 65536u + 1u);
}

TEST(OutputLog, KeepsAtMostThirtyTwoThousandEntries) {
  OutputLog log;
  for (int i = 0; i < 32767; ++i) append(log, "x");
  append(log, "x");
  EXPECT_EQ(log.first_seq(), 1u);
  EXPECT_EQ(read(log, 0).seqs.size(), 32768u);
  append(log, "x");
  EXPECT_EQ(log.first_seq(), 2u);
  EXPECT_EQ(read(log, 0).seqs.size(), 32768u);
}

TEST(OutputLog, EntriesAreNoLongerThanAChunk) {
  OutputLog log;
  EXPECT_EQ(append(log, std::string(limits::output_chunk_bytes_max, 'a')), 1u);
  EXPECT_EQ(append(log, std::string(limits::output_chunk_bytes_max + 1, 'b')), 3u);
}

TEST(OutputLog, NothingIsNoEntry) {
  OutputLog log;
  EXPECT_EQ(append(log, ""), 0u);
  EXPECT_EQ(append(log, "a"), 1u);
}

TEST(OutputLog, SplitsWhereTheRingWraps) {
  OutputLog log(10);
  append(log, "abcdefg");
  EXPECT_EQ(append(log, "hijkl"), 3u);
  EXPECT_EQ(read(log, 0).seqs, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(read_all(log), "hijkl");
}

TEST(OutputLog, RemembersWhereAnEntryWasSent) {
  OutputLog log(8);
  append(log, "aaaa");
  log.append_exit(0, false);
  append(log, "bbbb");
  log.note_sent(1, 100);
  log.note_sent(2, 150);  // the exit has no bytes to keep
  log.note_sent(3, 200);
  log.note_sent(4, 300);  // not there
  log.note_sent(0, 300);  // never is
  EXPECT_EQ(log.sent_offset(1), 100u);
  EXPECT_EQ(log.sent_offset(2), 0u);
  EXPECT_EQ(log.sent_offset(3), 200u);
  EXPECT_EQ(log.sent_offset(4), 0u);
  EXPECT_EQ(log.sent_offset(0), 0u);
  append(log, "cccc");
  EXPECT_EQ(log.sent_offset(1), 0u) << "gone";
  EXPECT_EQ(log.sent_offset(3), 200u);
}

TEST(OutputLog, OutputStaysReadableAfterTheClose) {
  OutputLog log;
  append(log, std::string(100'000, 'x') + "end");
  log.append_exit(0, false);
  log.append_close();
  EXPECT_EQ(read_all(log), std::string(100'000, 'x') + "end");
}

TEST(OutputLogDeathTest, NothingFollowsTheClose) {
  OutputLog log;
  EXPECT_DEATH(log.append_close(), "");  // before the exit
  log.append_exit(0, false);
  EXPECT_DEATH(log.append_exit(0, false), "");
  log.append_close();
  EXPECT_DEATH(log.append_close(), "");
  EXPECT_DEATH(log.append_exit(0, false), "");
  EXPECT_DEATH(append(log, "x"), "");
}

}  // namespace
}  // namespace outpost::local
