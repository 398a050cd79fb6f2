#include "transport/http_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits/messages.h"

namespace outpost::transport {
namespace {

using testing::Eq;
using testing::Optional;

channel::HttpRequest parsed(std::string_view head) {
  auto request = parse_request_head(head);
  EXPECT_TRUE(request.has_value()) << head;
  return request ? *std::move(request) : channel::HttpRequest{};
}

int refused(std::string_view head) {
  const auto request = parse_request_head(head);
  if (request) return 0;
  EXPECT_TRUE(request.error().close);
  return request.error().status;
}

std::string with_headers(std::size_t count) {
  std::string head = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < count; ++i) head += "x-" + std::to_string(i) + ": v\r\n";
  return head + "\r\n";
}

TEST(RequestHead, HasItsParts) {
  const auto request =
      parsed("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Thing:  one two \r\nx-thing: second\r\nEmpty:\r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/a/b?c=d");
  EXPECT_EQ(request.path, "/a/b");
  EXPECT_EQ(request.version, 11);
  EXPECT_THAT(request.header("x-thing"), Optional(Eq("one two")));
  EXPECT_THAT(request.header("empty"), Optional(Eq("")));
  EXPECT_EQ(request.header("absent"), std::nullopt);
  EXPECT_THAT(request.headers, testing::ElementsAre(testing::Pair("host", "x"), testing::Pair("x-thing", "one two"),
                                                    testing::Pair("x-thing", "second"), testing::Pair("empty", "")));
  EXPECT_TRUE(request.keep_alive);
  EXPECT_FALSE(request.has_body);
}

TEST(RequestHead, FindsThePathInEveryFormOfTarget) {
  EXPECT_EQ(parsed("GET http://host:1/readyz?x HTTP/1.1\r\n\r\n").path, "/readyz");
  EXPECT_EQ(parsed("GET http://host HTTP/1.1\r\n\r\n").path, "/");
  EXPECT_EQ(parsed("OPTIONS * HTTP/1.1\r\n\r\n").path, "*");
  EXPECT_EQ(parsed("CONNECT host:1 HTTP/1.1\r\n\r\n").path, "host:1");
  EXPECT_EQ(parsed("GET /%72eadyz HTTP/1.1\r\n\r\n").path, "/%72eadyz");
}

TEST(RequestHead, KnowsWhetherTheConnectionLivesOn) {
  EXPECT_TRUE(parsed("GET / HTTP/1.1\r\n\r\n").keep_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").keep_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(parsed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

TEST(RequestHead, KnowsWhetherABodyFollows) {
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n").has_body);
  EXPECT_FALSE(parsed("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n").has_body);
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").has_body);
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n").has_body);
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\n").has_body);
}

TEST(RequestHead, RefusesWhatIsNotHttp1) {
  for (const char* head :
       {"hello\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.2\r\n\r\n",
        "GET / HTTP/1.1\r\nHo st: x\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "\r\n\r\n", "", "GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\n\r\nrest", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    EXPECT_EQ(refused(head), 400) << head;
  }
}

TEST(RequestHead, HasAtMostAHundredHeaders) {
  EXPECT_EQ(refused(with_headers(limits::http_headers_max)), 0);
  EXPECT_EQ(refused(with_headers(limits::http_headers_max + 1)), 431);
}

TEST(ResponseHead, HasItsParts) {
  const auto response = parse_response_head("HTTP/1.1 401 Unauthorized\r\nContent-Length: 5\r\nX-Y: z\r\n\r\n");
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 401);
  EXPECT_EQ(response->reason, "Unauthorized");
  EXPECT_THAT(response->header("x-y"), Optional(Eq("z")));
}

TEST(ResponseHead, RefusesWhatIsNotHttp1) {
  for (const char* head : {"SSH-2.0-x\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "", "HTTP/1.1 20 OK\r\n\r\n"}) {
    const auto response = parse_response_head(head);
    ASSERT_FALSE(response.has_value()) << head;
    EXPECT_EQ(response.error().kind, ErrorKind::connection_lost);
  }
}

TEST(HeadCollector, TakesOneHeadAndLeavesTheRest) {
  HeadCollector head;
  EXPECT_EQ(head.feed("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /next"), 27U);
  EXPECT_TRUE(head.complete());
  EXPECT_EQ(head.text(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(head.feed("GET /next"), 0U);
  head.clear();
  EXPECT_FALSE(head.complete());
  EXPECT_EQ(head.feed("GET /next"), 9U);
  EXPECT_EQ(head.text(), "GET /next");
}

TEST(HeadCollector, SaysTheSameForEveryCut) {
  const std::string stream = "\r\n\r\nGET / HTTP/1.1\r\nA: \rb\n\r\r\n\r\nrest";
  const std::string expected = "GET / HTTP/1.1\r\nA: \rb\n\r\r\n\r\n";
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = 0; first + second <= stream.size(); ++second) {
      HeadCollector head;
      std::string_view left = stream;
      std::size_t taken = 0;
      for (const std::size_t portion : {first, second, stream.size() - first - second}) {
        taken += head.feed(left.substr(0, portion));
        left.remove_prefix(portion);
      }
      ASSERT_TRUE(head.complete()) << first << " and " << second;
      ASSERT_EQ(head.text(), expected);
      ASSERT_EQ(taken, stream.size() - 4);
    }
  }
}

TEST(HeadCollector, EveryPrefixIsIncomplete) {
  const std::string stream = "GET / HTTP/1.1\r\nA: b\r\n\r\n";
  for (std::size_t size = 0; size < stream.size(); ++size) {
    HeadCollector head;
    EXPECT_EQ(head.feed(std::string_view(stream).substr(0, size)), size);
    EXPECT_FALSE(head.complete()) << size;
    EXPECT_FALSE(head.too_long()) << size;
  }
}

std::string head_of(std::size_t bytes) {
  std::string head = "GET / HTTP/1.1\r\nx: ";
  head.append(bytes - head.size() - 4, 'a');
  return head + "\r\n\r\n";
}

TEST(HeadCollector, EndsAtItsLimit) {
  HeadCollector fits;
  fits.feed(head_of(limits::http_head_bytes_max));
  EXPECT_TRUE(fits.complete());
  EXPECT_EQ(refused(fits.text()), 0);

  HeadCollector over;
  EXPECT_EQ(over.feed(head_of(limits::http_head_bytes_max + 1)), limits::http_head_bytes_max);
  EXPECT_FALSE(over.complete());
  EXPECT_TRUE(over.too_long());
  EXPECT_EQ(over.feed("x"), 0U);
  EXPECT_EQ(head_too_long_answer().status, 431);
  EXPECT_TRUE(head_too_long_answer().close);
}

TEST(HeadCollector, LineEndsInFrontCountToo) {
  HeadCollector head(10);
  EXPECT_EQ(head.feed("\r\n\r\n\r\n\r\n"), 8U);
  EXPECT_FALSE(head.too_long());
  EXPECT_EQ(head.feed("\r\n\r\n"), 2U);
  EXPECT_TRUE(head.too_long());
  head.clear();
  EXPECT_EQ(head.feed("\r\n\r\nabcdefgh"), 10U);
  EXPECT_TRUE(head.too_long());
}

}  // namespace
}  // namespace outpost::transport
