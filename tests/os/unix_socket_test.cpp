#include "os/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "os/socket.h"
#include "os/unix_address.h"
#include "support/temporary_folder.h"

namespace outpost::os {
namespace {

FileDescriptor connect_unix(const std::string& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = unix_address(path);
  if (!address || ::connect(socket.get(), address->raw(), address->size) != 0) return {};
  return socket;
}

class UnixSocket : public ::testing::Test {
 protected:
  outpost::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path("s.sock");
};

TEST_F(UnixSocket, IsForItsUserOnlyWhateverTheUmask) {
  const mode_t before = ::umask(0);
  const auto listener = listen_unix(path_);
  ::umask(before);
  ASSERT_TRUE(listener) << listener.error().message;
  struct stat status;
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
}

TEST_F(UnixSocket, TellsWhoConnected) {
  const auto listener = listen_unix(path_);
  ASSERT_TRUE(listener);
  const FileDescriptor client = connect_unix(path_);
  ASSERT_TRUE(client);
  const Accepted accepted = accept_some(listener->socket.get());
  ASSERT_EQ(accepted.status, Accepted::ok);
  const auto user = peer_user(accepted.socket.get());
  ASSERT_TRUE(user);
  EXPECT_EQ(*user, ::geteuid());
}

TEST_F(UnixSocket, AStaleFileIsReplaced) {
  {
    auto stale = listen_unix(path_);
    ASSERT_TRUE(stale);
    // As if the program had been killed: nobody removes it.
    EXPECT_EQ(::rename(path_.c_str(), folder_.path("kept").c_str()), 0);
    stale->file = {};
    EXPECT_EQ(::rename(folder_.path("kept").c_str(), path_.c_str()), 0);
  }
  ASSERT_EQ(::access(path_.c_str(), F_OK), 0);
  EXPECT_FALSE(connect_unix(path_));
  const auto listener = listen_unix(path_);
  ASSERT_TRUE(listener) << listener.error().message;
  EXPECT_TRUE(connect_unix(path_));
}

TEST_F(UnixSocket, ALiveOneIsLeftAlone) {
  const auto first = listen_unix(path_);
  ASSERT_TRUE(first);
  const auto second = listen_unix(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "Address in use (os error 98)");
  EXPECT_TRUE(connect_unix(path_));
}

TEST_F(UnixSocket, AnotherFileIsLeftAlone) {
  folder_.file("s.sock", "precious");
  EXPECT_EQ(listen_unix(path_).error().message, "Address in use (os error 98)");
  EXPECT_EQ(::access(path_.c_str(), F_OK), 0);
}

TEST_F(UnixSocket, ItsFileGoesWithItUnlessItIsAnothersByNow) {
  {
    const auto listener = listen_unix(path_);
  }
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  auto old = listen_unix(path_);
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  const auto young = listen_unix(path_);
  ASSERT_TRUE(young);
  old = fail(ErrorKind::internal, "gone");
  EXPECT_TRUE(connect_unix(path_));
}

TEST_F(UnixSocket, PathsAreBounded) {
  const std::string longest(107, 'x');
  EXPECT_EQ(listen_unix("/" + longest).error().message, "the path has more than 107 bytes");
  EXPECT_EQ(listen_unix(folder_.path("none/s")).error().message, "No such file or directory (os error 2)");
}

TEST_F(UnixSocket, APairIsConnected) {
  const auto pair = make_socket_pair();
  ASSERT_TRUE(pair);
  EXPECT_EQ(::send(pair->first.get(), "x", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(::recv(pair->second.get(), &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'x');
}

}  // namespace
}  // namespace outpost::os
