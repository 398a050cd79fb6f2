#include "os/service_manager.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "os/socket.h"
#include "os/unix_address.h"
#include "os/unix_socket.h"
#include "support/temporary_folder.h"

namespace outpost::os {
namespace {

/// A socket that notes come to.
FileDescriptor notice_board(const std::string& address) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto bound = unix_address(address);
  EXPECT_EQ(::bind(socket.get(), bound->raw(), bound->size), 0);
  return socket;
}
std::string next_note(int fd) {
  char text[64];
  const ssize_t size = ::recv(fd, text, sizeof text, MSG_DONTWAIT);
  return size < 0 ? "nothing" : std::string(text, static_cast<std::size_t>(size));
}

TEST(ServiceManager, IsToldByPathOrAbstractAddress) {
  const outpost::testing::TemporaryFolder folder;
  for (const std::string& address : {folder.path("notify"), "@outpost-test-" + std::to_string(::getpid())}) {
    const FileDescriptor board = notice_board(address);
    notify_service_manager(address, "READY=1");
    EXPECT_EQ(next_note(board.get()), "READY=1") << address;
  }
}

TEST(ServiceManager, NobodyThereIsNoTrouble) {
  for (const std::string& address : {std::string(), std::string("/nonexistent"), std::string(4096, 'x')}) {
    notify_service_manager(address, "READY=1");
  }
}

TEST(ServiceManager, ItsAddressLeavesTheEnvironment) {
  ::setenv("NOTIFY_SOCKET", "/run/notify", 1);
  EXPECT_EQ(take_notify_address(), "/run/notify");
  EXPECT_EQ(::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_EQ(take_notify_address(), "");
}

TEST(ServiceManager, ABoundAddressIsDescribed) {
  const auto address_of = [](const FileDescriptor& socket) { return *bound_address(socket.get()); };
  const auto loopback = address_of(*listen_tcp("127.0.0.1", 0));
  EXPECT_TRUE(loopback.loopback && !loopback.is_unix && loopback.text.starts_with("127.0.0.1:"));
  const auto open = address_of(*listen_tcp("0.0.0.0", 0));
  EXPECT_TRUE(!open.loopback && open.text.starts_with("0.0.0.0:"));
  EXPECT_FALSE(address_of(*listen_tcp("::", 0)).loopback);
  EXPECT_TRUE(address_of(*listen_tcp("::1", 0)).loopback);
  const outpost::testing::TemporaryFolder folder;
  const auto file = listen_unix(folder.path("s"));
  const auto named = address_of(file->socket);
  EXPECT_TRUE(named.is_unix && named.loopback);
  EXPECT_EQ(named.text, folder.path("s"));
}

}  // namespace
}  // namespace outpost::os
