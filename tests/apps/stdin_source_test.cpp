#include "apps/outpost/stdin_source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits/clients.h"
#include "base/run_until.h"
#include "os/files.h"
#include "os/io.h"
#include "support/fake_channel.h"

namespace outpost::apps {
namespace {

using outpost::testing::FakeChannel;
using outpost::testing::FakeWire;
using ::testing::HasSubstr;

TEST(IsEmptyInput, IsTrueOfDevNullAndOfClosedDescriptors) {
  const auto null = os::open_at(AT_FDCWD, "/dev/null", O_RDONLY);
  const auto zero = os::open_at(AT_FDCWD, "/dev/zero", O_RDONLY);
  const os::Pipe pipe = std::move(*os::make_pipe(os::Blocking::yes, os::Blocking::yes));
  EXPECT_TRUE(is_empty_input(null->get()));
  EXPECT_TRUE(is_empty_input(1'000'000));
  EXPECT_FALSE(is_empty_input(zero->get()));
  EXPECT_FALSE(is_empty_input(pipe.read.get()));
}

class StdinSourceTest : public ::testing::Test {
 protected:
  StdinSourceTest() {
    session_.open("test", [](Result<wire::InitializeResult>) {});
    far_->say(R"({"id":1,"result":{"sessionId":"s"}})");
    far_->heard();
  }
  /// The descriptor is left open: the thread that reads it may be in a call when the test ends.
  void carry(os::FileDescriptor fd, bool can_close) {
    source_ = std::make_unique<StdinSource>(
        loop_, session_, "p",
        StdinSource::Settings{.fd = fd.release(), .can_close = can_close, .on_end_lost = [this] { ++ends_lost_; }});
  }
  /// The next messages that the far machine hears, which it waits for.
  std::vector<std::string> hear(std::size_t count) {
    std::vector<std::string> messages;
    EXPECT_TRUE(outpost::testing::run_until(loop_, [&] {
      for (std::string& message : far_->heard()) messages.push_back(std::move(message));
      return messages.size() >= count;
    }));
    return messages;
  }
  void answer(int id, const std::string& status) {
    far_->say(R"({"id":)" + std::to_string(id) + R"(,"result":{"status":")" + status + R"("}})");
  }

  Loop loop_;
  std::shared_ptr<FakeWire> far_ = std::make_shared<FakeWire>();
  client::ClientSession session_{std::make_unique<FakeChannel>(far_)};
  os::Pipe pipe_ = std::move(*os::make_pipe(os::Blocking::no, os::Blocking::yes));
  std::unique_ptr<StdinSource> source_;
  int ends_lost_ = 0;
};

TEST_F(StdinSourceTest, CarriesBytesAndTheEndOfAPipe) {
  const int reader = pipe_.read.get();
  const int mode = ::fcntl(reader, F_GETFL);
  carry(std::move(pipe_.read), true);
  os::write_some(pipe_.write.get(), as_bytes("hi"));
  EXPECT_THAT(hear(1)[0], HasSubstr(R"("chunk":"aGk=")"));
  pipe_.write.reset();
  EXPECT_THAT(hear(1)[0], HasSubstr("outpost/process/closeStdin"));
  EXPECT_EQ(::fcntl(reader, F_GETFL), mode);
  EXPECT_EQ(ends_lost_, 0);
}

TEST_F(StdinSourceTest, IsAFewChunksAheadOfTheAnswers) {
  os::FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), 1024L * 1024), 0);
  carry(std::move(file), true);
  EXPECT_EQ(hear(limits::stdin_chunks_ahead).size(), 8u);
  answer(2, "accepted");
  EXPECT_EQ(hear(1).size(), 1u);
  for (int id = 3; id < 3 + 16; ++id) {
    if (far_->ended()) break;
    answer(id, "accepted");
    if (id < 10) hear(1);
  }
}

TEST_F(StdinSourceTest, AnEndThatCannotBePassedOnIsTold) {
  carry(std::move(pipe_.read), false);
  os::write_some(pipe_.write.get(), as_bytes("hi"));
  hear(1);
  pipe_.write.reset();
  EXPECT_TRUE(outpost::testing::run_until(loop_, [&] { return ends_lost_ > 0; }));
  EXPECT_EQ(ends_lost_, 1);
  EXPECT_TRUE(far_->heard().empty());
}

TEST_F(StdinSourceTest, NothingIsSentBehindACommandThatWantsNoMore) {
  carry(std::move(pipe_.read), true);
  os::write_some(pipe_.write.get(), as_bytes("hi"));
  hear(1);
  answer(2, "stdinClosed");
  EXPECT_FALSE(far_->ended());
  source_.reset();
  pipe_.write.reset();
  outpost::testing::run_ready(loop_);
  EXPECT_TRUE(far_->heard().empty());
}

TEST_F(StdinSourceTest, MayGoWhileItReads) {
  os::Pipe blocking = std::move(*os::make_pipe(os::Blocking::yes, os::Blocking::yes));
  carry(std::move(blocking.read), true);
  source_.reset();
  outpost::testing::run_ready(loop_);
  EXPECT_TRUE(far_->heard().empty());
}

}  // namespace
}  // namespace outpost::apps
