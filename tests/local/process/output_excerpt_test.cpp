#include <gtest/gtest.h>

#include <random>
#include <string>

#include "local/process/output_log.h"

#include "base/limits/processes.h"

namespace outpost::local {
namespace {

using capability::OutputStream;
using capability::OutputView;

/// What a view of a log shows, as `SEQ:TEXT` pieces.
struct View {
  std::string text, pieces;
  capability::Excerpt excerpt;
};
View view(const OutputLog& log, std::size_t head, std::size_t tail) {
  View view;
  std::vector<OutputView> chunks;
  view.excerpt = log.excerpt(head, tail, chunks);
  for (const OutputView& chunk : chunks) {
    view.text += as_text(chunk.bytes);
    view.pieces += std::to_string(chunk.seq) + ":" + std::string(as_text(chunk.bytes)) + " ";
  }
  return view;
}
void append(OutputLog& log, std::string_view text) {
  log.append(OutputStream::stdout, as_bytes(text));
}

TEST(OutputExcerpt, CutsAtTheByteAndTellsWhatIsMissing) {
  OutputLog log;
  append(log, "abcd");
  append(log, "efgh");
  const View cut = view(log, 3, 2);
  EXPECT_EQ(cut.pieces, "1:abc 2:gh ");
  EXPECT_EQ(cut.excerpt.total_bytes, 8u);
  EXPECT_EQ(cut.excerpt.omitted_bytes, 3u);
  EXPECT_EQ(cut.excerpt.omitted_after_seq, 1u);
}

TEST(OutputExcerpt, OneChunkCutForBothGivesTwoItemsOfItsNumber) {
  OutputLog log;
  append(log, "abcdefgh");
  EXPECT_EQ(view(log, 2, 2).pieces, "1:ab 1:gh ");
}

TEST(OutputExcerpt, EverythingComesWholeWhenHeadAndTailMeet) {
  OutputLog log;
  append(log, "abcd");
  append(log, "efgh");
  const View whole = view(log, 4, 4);
  EXPECT_EQ(whole.pieces, "1:abcd 2:efgh ");
  EXPECT_EQ(whole.excerpt.omitted_bytes, 0u);
  EXPECT_FALSE(whole.excerpt.omitted_after_seq);
  EXPECT_EQ(view(log, 16384, 1048576).text, "abcdefgh");
}

TEST(OutputExcerpt, HeadOrTailAlone) {
  OutputLog log;
  append(log, "abcdefgh");
  const View tail = view(log, 0, 3);
  EXPECT_EQ(tail.pieces, "1:fgh ");
  EXPECT_EQ(tail.excerpt.omitted_after_seq, 0u) << "without a head";
  const View head = view(log, 3, 0);
  EXPECT_EQ(head.pieces, "1:abc ");
  EXPECT_EQ(head.excerpt.omitted_bytes, 5u);
}

TEST(OutputExcerpt, NothingPrintedIsNothingOmitted) {
  const OutputLog log;
  const View empty = view(log, 10, 10);
  EXPECT_EQ(empty.pieces, "");
  EXPECT_EQ(empty.excerpt.total_bytes, 0u);
  EXPECT_FALSE(empty.excerpt.omitted_after_seq);
}

TEST(OutputExcerpt, TheHeadIsThereThoughTheLogHasDroppedIt) {
  OutputLog log(10);
  append(log, "abcdef");
  append(log, "ghij");
  append(log, "klmnop");
  EXPECT_EQ(log.retained_bytes(), 10u);
  const View cut = view(log, 2, 3);
  EXPECT_EQ(cut.pieces, "1:ab 3:nop ");
  EXPECT_EQ(cut.excerpt.total_bytes, 16u);
  EXPECT_EQ(cut.excerpt.omitted_bytes, 11u);
  EXPECT_EQ(view(log, 16384, 1048576).text, "abcdefghijklmnop") << "what the head still has makes it whole";
}

/// Against the plain text, with logs so small that they have dropped most of it.
TEST(OutputExcerpt, AgreesWithThePlainText) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t capacity = 1 + random() % 40000;
    OutputLog log(capacity);
    std::string all;
    for (unsigned pieces = random() % 30; pieces > 0; --pieces) {
      std::string piece(1 + random() % 3000, '\0');
      for (char& c : piece) c = static_cast<char>('a' + random() % 26);
      append(log, piece);
      all += piece;
    }
    const std::size_t head = random() % 20000, tail = random() % 20000;
    const View shown = view(log, head, tail);
    ASSERT_EQ(shown.excerpt.total_bytes, all.size());
    ASSERT_EQ(shown.text.size() + shown.excerpt.omitted_bytes, all.size());
    if (shown.excerpt.omitted_bytes == 0) {
      ASSERT_EQ(shown.text, all);
      continue;
    }
    const std::size_t first = std::min({head, all.size(), limits::output_head_bytes});
    ASSERT_EQ(shown.text.substr(0, first), all.substr(0, first));
    const std::string last = shown.text.substr(first);
    ASSERT_TRUE(all.ends_with(last));
    ASSERT_LE(last.size(), tail);
  }
}

}  // namespace
}  // namespace outpost::local
