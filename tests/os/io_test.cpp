#include "os/io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "os/signals.h"

namespace outpost::os {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}
bool closes_on_exec(int fd) {
  return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}
bool blocks(int fd) {
  return (::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
}

TEST(FileDescriptor, ClosesWhatItOwnsOnce) {
  const int fd = ::open("/dev/null", O_RDONLY);
  {
    FileDescriptor first(fd);
    FileDescriptor second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_EQ(second.get(), fd);
    FileDescriptor& same = second;
    second = std::move(same);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(FileDescriptor, ReleaseGivesItAwayAndResetClosesTheOld) {
  FileDescriptor owner(::open("/dev/null", O_RDONLY));
  const int first = owner.get();
  owner.reset(::open("/dev/null", O_RDONLY));
  EXPECT_FALSE(is_open(first));
  const int second = owner.release();
  EXPECT_FALSE(owner);
  EXPECT_TRUE(is_open(second));
  ::close(second);
}

TEST(FileDescriptor, ResetKeepsErrno) {
  errno = E2BIG;
  FileDescriptor(987654).reset();
  EXPECT_EQ(errno, E2BIG);
}

TEST(Io, MovesBytesThroughAPipeAndSeesItsEnd) {
  Pipe pipe = std::move(*make_pipe(Blocking::no, Blocking::no));
  std::array<std::byte, 16> buffer;
  EXPECT_EQ(read_some(pipe.read.get(), buffer).status, IoCount::would_block);
  EXPECT_EQ(write_some(pipe.write.get(), as_bytes("hello")).bytes, 5U);
  EXPECT_EQ(pipe_bytes_available(pipe.read.get()), 5U);
  const IoCount got = read_some(pipe.read.get(), buffer);
  EXPECT_EQ(got.status, IoCount::ok);
  EXPECT_EQ(as_text({buffer.data(), got.bytes}), "hello");
  EXPECT_EQ(read_some(pipe.read.get(), {}).status, IoCount::ok);
  pipe.write.reset();
  EXPECT_EQ(read_some(pipe.read.get(), buffer).status, IoCount::end);
}

TEST(Io, PipeEndsCloseOnExecAndBlockAsAsked) {
  const Pipe pipe = std::move(*make_pipe(Blocking::no, Blocking::yes));
  EXPECT_TRUE(closes_on_exec(pipe.read.get()));
  EXPECT_TRUE(closes_on_exec(pipe.write.get()));
  EXPECT_FALSE(blocks(pipe.read.get()));
  EXPECT_TRUE(blocks(pipe.write.get()));
}

TEST(Io, FullPipeWouldBlockAndAPipeWithoutReaderTakesNoMore) {
  ignore_broken_pipes();
  Pipe pipe = std::move(*make_pipe(Blocking::no, Blocking::no));
  ASSERT_TRUE(set_pipe_size(pipe.write.get(), 4096));
  const std::vector<std::byte> page(4096);
  EXPECT_EQ(write_some(pipe.write.get(), page).bytes, page.size());
  EXPECT_EQ(write_some(pipe.write.get(), page).status, IoCount::would_block);
  pipe.read.reset();
  const IoCount refused = write_some(pipe.write.get(), page);
  EXPECT_EQ(refused.status, IoCount::end);
  EXPECT_EQ(refused.error, EPIPE);
}

TEST(Io, SendRaisesNoSignalAndNeverBlocks) {
  ::signal(SIGPIPE, SIG_DFL);
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  const FileDescriptor ours(fds[0]);
  FileDescriptor theirs(fds[1]);
  std::array<std::byte, 4096> buffer{};
  EXPECT_EQ(receive_some(ours.get(), buffer).status, IoCount::would_block);
  IoCount sent;
  while ((sent = send_some(ours.get(), buffer)).status == IoCount::ok) continue;
  EXPECT_EQ(sent.status, IoCount::would_block);
  EXPECT_EQ(receive_some(theirs.get(), buffer).bytes, buffer.size());
  theirs.reset();
  EXPECT_EQ(send_some(ours.get(), buffer).status, IoCount::end);
}

TEST(Io, FailuresCarryTheirErrno) {
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(read_some(-1, buffer).error, EBADF);
  EXPECT_EQ(write_some(-1, buffer).error, EBADF);
  EXPECT_EQ(read_some(-1, buffer).status, IoCount::failed);
  EXPECT_EQ(pipe_bytes_available(-1), 0U);
  EXPECT_FALSE(set_pipe_size(-1, 4096));
  EXPECT_FALSE(set_pipe_size(0, std::size_t{INT_MAX} + 1));
  EXPECT_FALSE(set_nonblocking(-1));
  EXPECT_FALSE(duplicate(-1));
}

TEST(Io, TerminalWhoseOtherSideIsGoneIsAtItsEnd) {
  const FileDescriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(master);
  ASSERT_EQ(::grantpt(master.get()), 0);
  ASSERT_EQ(::unlockpt(master.get()), 0);
  FileDescriptor other(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(other);
  other.reset();
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(read_some(master.get(), buffer).status, IoCount::end);
}

TEST(Io, DuplicateIsTheSameOpenFileAndClosesOnExec) {
  const Pipe pipe = std::move(*make_pipe(Blocking::no, Blocking::no));
  const auto copy = duplicate(pipe.write.get());
  ASSERT_TRUE(copy);
  EXPECT_GE(copy->get(), 3);
  EXPECT_TRUE(closes_on_exec(copy->get()));
  EXPECT_EQ(write_some(copy->get(), as_bytes("x")).bytes, 1U);
  EXPECT_EQ(pipe_bytes_available(pipe.read.get()), 1U);
}

}  // namespace
}  // namespace outpost::os
