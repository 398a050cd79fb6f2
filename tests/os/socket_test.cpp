#include "os/socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <vector>

#include "os/io.h"
#include "run_program.h"

namespace outpost::os {
namespace {

std::uint16_t port_of(const FileDescriptor& socket) {
  const std::string address = *local_address(socket.get());
  const auto colon = address.rfind(':');
  std::uint16_t port = 0;
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  return port;
}

bool wait_writable(int fd) {
  pollfd entry{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&entry, 1, 60'000) == 1;
}

class SocketPerFamily : public ::testing::TestWithParam<const char*> {};

TEST_P(SocketPerFamily, ConnectsAndNamesBothEnds) {
  const auto listener = listen_tcp(GetParam(), 0);
  ASSERT_TRUE(listener) << listener.error().message;
  EXPECT_EQ(accept_some(listener->get()).status, Accepted::would_block);
  const auto client = connect_tcp(GetParam(), port_of(*listener));
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_TRUE(wait_writable(client->get()));
  EXPECT_EQ(connect_error(client->get()), 0);
  ASSERT_TRUE(testing::wait_readable(listener->get()));
  const Accepted accepted = accept_some(listener->get());
  ASSERT_EQ(accepted.status, Accepted::ok);
  EXPECT_EQ(*local_address(client->get()), *peer_address(accepted.socket.get()));
  EXPECT_EQ(*peer_address(client->get()), *local_address(listener->get()));
  EXPECT_NE(::fcntl(accepted.socket.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(accepted.socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, SocketPerFamily, ::testing::Values("127.0.0.1", "::1"));

TEST(Socket, WritesAddressesAsUrlsHaveThem) {
  const auto ipv4 = listen_tcp("127.0.0.1", 0);
  const auto ipv6 = listen_tcp("::1", 0);
  EXPECT_EQ(*local_address(ipv4->get()), "127.0.0.1:" + std::to_string(port_of(*ipv4)));
  EXPECT_EQ(*local_address(ipv6->get()), "[::1]:" + std::to_string(port_of(*ipv6)));
  EXPECT_NE(port_of(*ipv4), 0);
}

TEST(Socket, AScopeIsANumberOrTheNameOfAnInterface) {
  for (const std::string address : {"::1%1", "::1%lo"}) {
    const auto listener = listen_tcp(address, 0);
    EXPECT_TRUE(listener) << address << ": " << listener.error().message;
  }
}

TEST(Socket, AddressInUseHasTheTextOfTheSystemAlone) {
  const auto first = listen_tcp("127.0.0.1", 0);
  const auto second = listen_tcp("127.0.0.1", port_of(*first));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "Address in use (os error 98)");
}

TEST(Socket, OnlyLiteralAddressesAreTaken) {
  for (const std::string address : {"localhost", "", "[::1]", "127.0.0.1:80", "1.2.3", "::1%x", "::1%", "999.1.1.1"}) {
    const auto listener = listen_tcp(address, 0);
    ASSERT_FALSE(listener) << address;
    EXPECT_EQ(listener.error().kind, ErrorKind::invalid_input) << address;
  }
  EXPECT_FALSE(connect_tcp(std::string_view("127.0.0.1\0.evil", 15), 1));
}

TEST(Socket, RefusedConnectionShowsAtOnceOrWhenAsked) {
  std::uint16_t port = 0;
  {
    const auto listener = listen_tcp("127.0.0.1", 0);
    port = port_of(*listener);
  }
  const auto client = connect_tcp("127.0.0.1", port);
  if (!client) {
    EXPECT_EQ(client.error().message, "Connection refused (os error 111)");
    return;
  }
  ASSERT_TRUE(wait_writable(client->get()));
  EXPECT_EQ(connect_error(client->get()), ECONNREFUSED);
}

TEST(Socket, AcceptTellsExhaustionFromBrokenListener) {
  const auto listener = listen_tcp("127.0.0.1", 0);
  const auto client = connect_tcp("127.0.0.1", port_of(*listener));
  ASSERT_TRUE(testing::wait_readable(listener->get()));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Accepted refused = accept_some(listener->get());
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(refused.status, Accepted::no_descriptors);
  EXPECT_EQ(refused.error, EMFILE);
  EXPECT_EQ(accept_some(listener->get()).status, Accepted::ok);
  EXPECT_EQ(accept_some(-1).status, Accepted::failed);
  EXPECT_EQ(accept_some(client->get()).status, Accepted::failed);
}

TEST(Socket, NodelayIsSet) {
  const auto listener = listen_tcp("127.0.0.1", 0);
  const auto client = connect_tcp("127.0.0.1", port_of(*listener));
  set_tcp_nodelay(client->get());
  int on = 0;
  socklen_t size = sizeof on;
  ::getsockopt(client->get(), IPPROTO_TCP, TCP_NODELAY, &on, &size);
  EXPECT_NE(on, 0);
}

TEST(Socket, OnlyInternetSocketsHaveAddresses) {
  const auto pipe = make_pipe(Blocking::no, Blocking::no);
  EXPECT_EQ(local_address(pipe->read.get()).error().kind, ErrorKind::io);
  const FileDescriptor local(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(local_address(local.get()).error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(connect_error(pipe->read.get()), ENOTSOCK);
}

}  // namespace
}  // namespace outpost::os
