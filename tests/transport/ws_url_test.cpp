#include "transport/ws_url.h"

#include <gtest/gtest.h>

namespace outpost::transport {
namespace {

TEST(ParseWsUrl, TakesAddressesApart) {
  struct Row {
    const char* url;
    const char* host;
    std::uint16_t port;
    const char* target;
    const char* authority;
  };
  const Row rows[] = {
      {"ws://127.0.0.1:8080", "127.0.0.1", 8080, "/", "127.0.0.1:8080"},
      {"ws://example.com", "example.com", 80, "/", "example.com"},
      {"ws://example.com/", "example.com", 80, "/", "example.com"},
      {"ws://h:1/a/b?c=d", "h", 1, "/a/b?c=d", "h:1"},
      {"ws://h:65535?x", "h", 65535, "/?x", "h:65535"},
      {"ws://[::1]:90/x", "::1", 90, "/x", "[::1]:90"},
      {"ws://[fe80::1]", "fe80::1", 80, "/", "[fe80::1]"},
      {"ws://h/a@b:c", "h", 80, "/a@b:c", "h"},
  };
  for (const Row& row : rows) {
    const auto url = parse_ws_url(row.url);
    ASSERT_TRUE(url) << row.url << ": " << url.error().message;
    EXPECT_EQ(url->host, row.host) << row.url;
    EXPECT_EQ(url->port, row.port) << row.url;
    EXPECT_EQ(url->target, row.target) << row.url;
    EXPECT_EQ(url->authority, row.authority) << row.url;
  }
}

TEST(ParseWsUrl, SaysWhatIsWrong) {
  struct Row {
    const char* url;
    const char* why;
  };
  const Row rows[] = {
      {"", "the scheme is not ws"},
      {"127.0.0.1:80", "the scheme is not ws"},
      {"http://h", "the scheme is not ws"},
      {"wss://h", "TLS is not available"},
      {"ws://", "the host is missing"},
      {"ws:///path", "the host is missing"},
      {"ws://:80", "the host is missing"},
      {"ws://[]:80", "the host is missing"},
      {"ws://[::1", "`]` is missing"},
      {"ws://[::1]80", "after `]` comes the port"},
      {"ws://h:", "the port is not a number"},
      {"ws://h:0", "the port is not a number"},
      {"ws://h:65536", "the port is not a number"},
      {"ws://h:-1", "the port is not a number"},
      {"ws://h:80x", "the port is not a number"},
      {"ws://::1:80", "the host is missing"},
      {"ws://user@h", "user names are not allowed"},
      {"ws://h/#top", "no fragment"},
      {"ws://h#top", "no fragment"},
  };
  for (const Row& row : rows) {
    const auto url = parse_ws_url(row.url);
    ASSERT_FALSE(url) << row.url;
    EXPECT_EQ(url.error().kind, ErrorKind::invalid_input) << row.url;
    EXPECT_NE(url.error().message.find(row.why), std::string::npos) << url.error().message;
    EXPECT_TRUE(url.error().message.starts_with("bad URL `" + std::string(row.url) + "`: "));
  }
}

}  // namespace
}  // namespace outpost::transport
