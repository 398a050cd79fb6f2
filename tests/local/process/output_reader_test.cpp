#include "local/process/output_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "base/limits/processes.h"
#include "base/run_until.h"
#include "os/io.h"

namespace outpost::local {
namespace {

using capability::OutputStream;
using outpost::testing::run_ready;
using outpost::testing::run_until;

/// A reader of a pipe whose other end is the test's.
class OutputReaderTest : public ::testing::Test {
 protected:
  OutputReaderTest() {
    os::Pipe pipe = std::move(*os::make_pipe(os::Blocking::no, os::Blocking::no));
    write_end_ = std::move(pipe.write);
    read_end_ = std::move(pipe.read);
  }
  void follow(OutputLog& log) {
    reader_ = std::make_unique<OutputReader>(
        loop_, std::move(read_end_), OutputStream::stdout, log, scratch_.whole(),
        OutputReader::Events{.on_output = [this] { ++news_; }, .on_end = [this] { ++ends_; }});
  }
  void put(std::string_view text) { ASSERT_EQ(os::write_some(write_end_.get(), as_bytes(text)).bytes, text.size()); }
  static std::string text_of(const OutputLog& log) {
    std::vector<capability::OutputView> chunks;
    log.read(0, std::nullopt, chunks);
    std::string text;
    for (const auto& chunk : chunks) text += as_text(chunk.bytes);
    return text;
  }

  Loop loop_;
  Bytes scratch_{limits::output_turn_bytes};
  os::FileDescriptor read_end_, write_end_;
  std::unique_ptr<OutputReader> reader_;
  int news_ = 0, ends_ = 0;
};

TEST_F(OutputReaderTest, TellsTheEndOnceBehindAllOutput) {
  OutputLog log;
  follow(log);
  put("abc");
  write_end_.reset();
  ASSERT_TRUE(run_until(loop_, [&] { return ends_ > 0; }));
  run_ready(loop_);
  EXPECT_EQ(ends_, 1);
  EXPECT_EQ(text_of(log), "abc");
  EXPECT_TRUE(reader_->ended());
}

TEST_F(OutputReaderTest, SmallPiecesInThePipeAreOneChunk) {
  OutputLog log;
  follow(log);
  for (int i = 0; i < 100; ++i) put("piece ");
  ASSERT_TRUE(run_until(loop_, [&] { return news_ > 0; }));
  EXPECT_EQ(log.state().next_seq, 2u);
  EXPECT_EQ(log.retained_bytes(), 600u);
}

TEST_F(OutputReaderTest, CloseTellsNothing) {
  OutputLog log;
  follow(log);
  put("abc");
  reader_->close();
  write_end_.reset();
  run_ready(loop_);
  EXPECT_EQ(news_ + ends_, 0);
  EXPECT_TRUE(reader_->ended());
}

TEST_F(OutputReaderTest, SaysWhenItCannotBeWatched) {
  OutputLog log;
  follow(log);
  EXPECT_TRUE(reader_->watched());
  os::FileDescriptor taken = *os::duplicate(reader_->descriptor());
  Watch first(loop_, taken.get(), [] {});
  const OutputReader second(loop_, std::move(taken), OutputStream::stdout, log, scratch_.whole(), {});
  EXPECT_FALSE(second.watched()) << "one descriptor is watched once";
}

TEST_F(OutputReaderTest, DrainTakesWhatIsThereWithoutTheLoop) {
  OutputLog log;
  follow(log);
  put("abc");
  reader_->drain();
  EXPECT_EQ(text_of(log), "abc");
  EXPECT_EQ(ends_, 0);
  write_end_.reset();
  reader_->drain();
  EXPECT_EQ(ends_, 1);
}

TEST_F(OutputReaderTest, EndWhenEmptyEndsThoughSomebodyHoldsThePipe) {
  OutputLog log;
  follow(log);
  put("last words");
  reader_->end_when_empty();
  EXPECT_EQ(ends_, 1);
  EXPECT_EQ(text_of(log), "last words");
}

TEST_F(OutputReaderTest, HeldBackItEndsOnlyWhenItFlowsAgain) {
  OutputLog log;
  follow(log);
  reader_->set_flowing(false);
  put("abc");
  reader_->end_when_empty();
  run_ready(loop_);
  EXPECT_EQ(ends_, 0);
  EXPECT_EQ(text_of(log), "");
  reader_->set_flowing(true);
  ASSERT_TRUE(run_until(loop_, [&] { return ends_ > 0; }));
  EXPECT_EQ(text_of(log), "abc");
}

TEST_F(OutputReaderTest, AFullLogGivesUpNoMoreThanComesIn) {
  OutputLog log(1000);
  follow(log);
  const std::string first(1000, 'a');
  put(first);
  ASSERT_TRUE(run_until(loop_, [&] { return log.retained_bytes() == 1000; }));
  for (int i = 0; i < 10; ++i) {
    news_ = 0;
    put("0123456789");
    ASSERT_TRUE(run_until(loop_, [&] { return news_ > 0; }));
    if (i == 0) EXPECT_EQ(log.retained_bytes(), 10u) << "the one chunk is dropped whole";
  }
  EXPECT_EQ(log.retained_bytes(), 100u);
  write_end_.reset();
  ASSERT_TRUE(run_until(loop_, [&] { return ends_ > 0; }));
  EXPECT_EQ(log.retained_bytes(), 100u) << "the end takes no room";
}

TEST_F(OutputReaderTest, TheEndDropsNoEntryOfALogThatIsFullOfThem) {
  OutputLog log;
  follow(log);
  for (std::size_t i = 0; i < limits::retained_output_entries_max; ++i) {
    log.append(OutputStream::stderr, as_bytes("x"));
  }
  reader_->drain();
  EXPECT_EQ(log.first_seq(), 1u);
  write_end_.reset();
  ASSERT_TRUE(run_until(loop_, [&] { return ends_ > 0; }));
  EXPECT_EQ(log.first_seq(), 1u);
}

TEST_F(OutputReaderTest, AFloodOfSmallWritesArrivesWhole) {
  OutputLog log;
  follow(log);
  std::string expected;
  for (int turn = 0; turn < 500; ++turn) {
    const std::string line = "line " + std::to_string(turn) + "\n";
    put(line);
    expected += line;
    run_ready(loop_);
  }
  write_end_.reset();
  ASSERT_TRUE(run_until(loop_, [&] { return ends_ > 0; }));
  EXPECT_EQ(text_of(log), expected);
}

}  // namespace
}  // namespace outpost::local
