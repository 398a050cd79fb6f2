#include "apps/outpost/listen_url.h"

#include <gtest/gtest.h>

namespace outpost::apps {
namespace {

struct Accepted {
  std::string url, host;
  std::uint16_t port;
  bool loopback;
};

TEST(ListenUrl, TakesLiteralAddresses) {
  for (const Accepted& expected :
       {Accepted{"ws://127.0.0.1:0", "127.0.0.1", 0, true}, Accepted{"ws://127.9.9.9:65535", "127.9.9.9", 65535, true},
        Accepted{"ws://0.0.0.0:80", "0.0.0.0", 80, false}, Accepted{"ws://[::1]:1", "::1", 1, true},
        Accepted{"ws://[::]:1", "::", 1, false}, Accepted{"ws://[::1%lo]:1", "::1%lo", 1, true},
        Accepted{"ws://[fe80::1%2]:1", "fe80::1%2", 1, false},
        Accepted{"ws://[fe80::1%eth0]:1", "fe80::1%eth0", 1, false}}) {
    const auto address = parse_listen_url(expected.url);
    ASSERT_TRUE(address) << expected.url;
    EXPECT_EQ(address->host, expected.host);
    EXPECT_EQ(address->port, expected.port);
    EXPECT_EQ(address->loopback, expected.loopback) << expected.url;
  }
}

TEST(ListenUrl, AnErrorNamesTheValueAndTheForm) {
  for (const std::string url : {"",
                                "ws://",
                                "ws://127.0.0.1",
                                "ws://127.0.0.1:",
                                "ws://127.0.0.1:65536",
                                "ws://127.0.0.1:-1",
                                "ws://:1",
                                "ws://localhost:1",
                                "ws://1.2.3:1",
                                "ws://::1:1",
                                "ws://[::1]",
                                "ws://[::1:1",
                                "ws://[127.0.0.1]:1",
                                "ws://[::1%]:1",
                                "ws://[%lo]:1",
                                "ws://127.0.0.1:1/",
                                "http://127.0.0.1:1",
                                "stdio:///",
                                "fd://3",
                                "stdi"}) {
    const auto address = parse_listen_url(url);
    ASSERT_FALSE(address) << url;
    EXPECT_TRUE(address.error().message.contains("`" + url + "`; expected `ws://IP:PORT`")) << address.error().message;
  }
}

TEST(ListenUrl, KnowsTheOtherKinds) {
  using Kind = ListenAddress::Kind;
  const auto secure = parse_listen_url("wss://[::1]:8");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls && secure->kind == Kind::websocket && secure->port == 8 && secure->loopback);
  EXPECT_FALSE(parse_listen_url("ws://[::1]:8")->tls);
  const auto file = parse_listen_url("unix:///run/a b.sock");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kind, Kind::unix_socket);
  EXPECT_EQ(file->path, "/run/a b.sock");
  EXPECT_EQ(parse_listen_url("stdio")->kind, Kind::stdio);
  EXPECT_EQ(parse_listen_url("stdio://")->kind, Kind::stdio);
  EXPECT_EQ(parse_listen_url("fd://")->kind, Kind::passed_sockets);
}

TEST(ListenUrl, ErrorsOfTheOtherKindsNameTheirForm) {
  for (const std::string url : {"wss://localhost:1", "wss://127.0.0.1", "wss://"}) {
    EXPECT_EQ(parse_listen_url(url).error().message,
              "invalid websocket --listen URL `" + url + "`; expected `wss://IP:PORT`");
  }
  for (const std::string url : {"unix://", "unix:///", "unix://relative", "unix:///folder/"}) {
    EXPECT_EQ(parse_listen_url(url).error().message,
              "invalid unix --listen URL `" + url + "`; expected `unix:///PATH`");
  }
}

}  // namespace
}  // namespace outpost::apps
