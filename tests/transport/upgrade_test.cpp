#include "transport/upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outpost::transport {
namespace {

using channel::HttpAnswer;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view sample_key = "dGhlIHNhbXBsZSBub25jZQ==";  // RFC 6455, 1.3
constexpr std::string_view sample_accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const std::chrono::sys_seconds rfc_date{std::chrono::seconds(784111777)};  // the example of RFC 9110, 5.6.7

channel::HttpRequest request_of(const std::string& head) {
  auto request = parse_request_head(head);
  EXPECT_TRUE(request.has_value()) << head;
  return request ? *std::move(request) : channel::HttpRequest{};
}

/// An upgrade with some headers replaced (or left out: nullptr) or added.
std::string upgrade_head(std::vector<std::pair<std::string, const char*>> changes = {},
                         const std::string& first_line = "GET / HTTP/1.1") {
  channel::HttpHeaders headers = {{"Host", "x"},
                                  {"Connection", "Upgrade"},
                                  {"Upgrade", "websocket"},
                                  {"Sec-WebSocket-Version", "13"},
                                  {"Sec-WebSocket-Key", std::string(sample_key)}};
  for (const auto& [name, value] : changes) {
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    if (value != nullptr) headers.emplace_back(name, value);
  }
  std::string head = first_line + "\r\n";
  for (const auto& [name, value] : headers) head.append(name).append(": ").append(value).append("\r\n");
  return head + "\r\n";
}

/// The status of the answer; 101 for an upgrade.
int status_of(const std::string& head, std::string* body = nullptr, const channel::UpgradeCheck& check = {}) {
  const auto decision = answer_http(request_of(head), check, "127.0.0.1:1");
  if (std::holds_alternative<Upgrade>(decision)) return 101;
  const auto& answer = std::get<HttpAnswer>(decision);
  if (body != nullptr) *body = answer.body;
  return answer.status;
}

HttpAnswer answer_of(const std::string& head) {
  const auto decision = answer_http(request_of(head), {}, "127.0.0.1:1");
  const auto* answer = std::get_if<HttpAnswer>(&decision);
  EXPECT_NE(answer, nullptr) << "upgraded";
  return answer != nullptr ? *answer : HttpAnswer{};
}

HttpAnswer text_answer(int status, std::string text, bool close = false) {
  return {status, {{"content-type", "text/plain; charset=utf-8"}}, std::move(text), close};
}

TEST(HttpFace, OriginIsRefusedBeforeAnythingElse) {
  for (const char* path : {"/", "/readyz", "/other"}) {
    EXPECT_EQ(answer_of(std::string("GET ") + path + " HTTP/1.1\r\nOrigin: null\r\n\r\n"), HttpAnswer{.status = 403});
  }
  EXPECT_EQ(answer_of("POST / HTTP/1.1\r\norigin:\r\n\r\n"), HttpAnswer{.status = 403});
  EXPECT_EQ(answer_of(upgrade_head({{"Origin", "http://x"}})), HttpAnswer{.status = 403});
}

TEST(HttpFace, ReadyzAnswersGetAndHeadOnly) {
  EXPECT_EQ(answer_of("GET /readyz?x=1 HTTP/1.1\r\n\r\n"), HttpAnswer{.status = 200});
  EXPECT_EQ(answer_of("HEAD /readyz HTTP/1.0\r\n\r\n"), HttpAnswer{.status = 200});
  EXPECT_EQ(answer_of("GET http://x/readyz HTTP/1.1\r\n\r\n"), HttpAnswer{.status = 200});
  EXPECT_EQ(answer_of(upgrade_head({}, "GET /readyz HTTP/1.1")), HttpAnswer{.status = 200});
  const HttpAnswer refusal{.status = 405, .headers = {{"allow", "GET,HEAD"}}};
  EXPECT_EQ(answer_of("POST /readyz HTTP/1.1\r\n\r\n"), refusal);
  EXPECT_EQ(answer_of("FOO /readyz HTTP/1.1\r\n\r\n"), refusal);
}

TEST(HttpFace, OtherPathsAreNotFound) {
  for (const char* target : {"/healthz", "/readyz/", "/%72eadyz", "*", "//"}) {
    EXPECT_EQ(answer_of(upgrade_head({}, std::string("GET ") + target + " HTTP/1.1")), HttpAnswer{.status = 404});
  }
  EXPECT_EQ(answer_of("CONNECT x:1 HTTP/1.1\r\n\r\n"), HttpAnswer{.status = 404});
}

TEST(HttpFace, TheFormOfAnUpgradeIsCheckedInOrder) {
  const auto method = text_answer(405, "Request method must be `GET`");
  const auto connection = text_answer(400, "Connection header did not include 'upgrade'");
  const auto upgrade = text_answer(400, "`Upgrade` header did not include 'websocket'");
  const auto key = text_answer(400, "`Sec-WebSocket-Key` header missing");
  const auto version = text_answer(400, "`Sec-WebSocket-Version` header did not include '13'");
  EXPECT_EQ(answer_of(upgrade_head({{"Connection", nullptr}}, "POST / HTTP/1.1")), method);
  EXPECT_EQ(answer_of("HEAD / HTTP/1.1\r\n\r\n"), method);
  EXPECT_EQ(answer_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), connection);
  EXPECT_EQ(answer_of(upgrade_head({{"Connection", "close"}, {"Upgrade", nullptr}})), connection);
  EXPECT_EQ(answer_of(upgrade_head({{"Upgrade", "h2c"}, {"Sec-WebSocket-Key", nullptr}})), upgrade);
  EXPECT_EQ(answer_of(upgrade_head({{"Upgrade", "websocket, h2c"}})), upgrade);
  EXPECT_EQ(answer_of(upgrade_head({{"Upgrade", nullptr}})), upgrade);
  EXPECT_EQ(answer_of(upgrade_head({{"Sec-WebSocket-Key", nullptr}, {"Sec-WebSocket-Version", "12"}})), key);
  EXPECT_EQ(answer_of(upgrade_head({{"Sec-WebSocket-Version", "8, 13"}})), version);
  EXPECT_EQ(answer_of(upgrade_head({{"Sec-WebSocket-Version", nullptr}})), version);
  EXPECT_EQ(answer_of(upgrade_head({}, "GET / HTTP/1.0")).status, 426);
}

TEST(HttpFace, UpgradesAreRecognisedAsTheReferenceDoes) {
  EXPECT_EQ(status_of(upgrade_head()), 101);
  EXPECT_EQ(status_of(upgrade_head({}, "GET /?a=b HTTP/1.1")), 101);
  EXPECT_EQ(status_of(upgrade_head({{"Connection", "keep-alive, UPGRADE"}, {"Upgrade", "WebSocket"}})), 101);
  EXPECT_EQ(status_of(upgrade_head({{"Sec-WebSocket-Version", " 13 "}, {"Sec-WebSocket-Key", "short"}})), 101);
  EXPECT_EQ(status_of(upgrade_head({{"Content-Length", "0"}})), 101);
  EXPECT_EQ(status_of(upgrade_head({{"connection", "keep-alive"}})), 101) << "several connection headers are one list";
  EXPECT_EQ(
      status_of(upgrade_head({{"Sec-WebSocket-Protocol", "a"}, {"Sec-WebSocket-Extensions", "permessage-deflate"}})),
      101);
}

TEST(HttpFace, BodiesEndTheConnection) {
  EXPECT_EQ(answer_of("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n"),
            text_answer(405, "Request method must be `GET`", true));
  EXPECT_TRUE(answer_of("GET /readyz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").close);
  EXPECT_EQ(answer_of(upgrade_head({{"Content-Length", "3"}})),
            text_answer(400, "Upgrade request must not have a body", true));
}

TEST(HttpFace, CredentialsAreAskedForWellFormedUpgradesOnly) {
  int asked = 0;
  const channel::UpgradeCheck check =
      [&](const channel::HttpRequest& request,
          const std::string& peer) -> std::variant<channel::UpgradeAccepted, HttpAnswer> {
    ++asked;
    EXPECT_EQ(peer, "127.0.0.1:1");
    if (request.header("authorization") == "Bearer good") return channel::UpgradeAccepted{"someone"};
    return HttpAnswer{.status = 401, .body = "no"};
  };
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n", nullptr, check), 400);
  EXPECT_EQ(status_of("GET /other HTTP/1.1\r\n\r\n", nullptr, check), 404);
  EXPECT_EQ(status_of("GET /readyz HTTP/1.1\r\n\r\n", nullptr, check), 200);
  EXPECT_EQ(status_of(upgrade_head({{"Origin", "x"}}), nullptr, check), 403);
  EXPECT_EQ(asked, 0);
  std::string body;
  EXPECT_EQ(status_of(upgrade_head(), &body, check), 401);
  EXPECT_EQ(body, "no");
  const auto decision = answer_http(request_of(upgrade_head({{"Authorization", "Bearer good"}})), check, "127.0.0.1:1");
  ASSERT_TRUE(std::holds_alternative<Upgrade>(decision));
  EXPECT_EQ(std::get<Upgrade>(decision).subject, "someone");
  EXPECT_EQ(std::get<Upgrade>(decision).accept_key, sample_accept);
  EXPECT_EQ(asked, 2);
}

TEST(HttpAnswerText, HasLengthTypeAndDate) {
  EXPECT_EQ(format_answer(text_answer(400, "bad"), {.date = rfc_date}),
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n"
            "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nbad");
  EXPECT_EQ(format_answer({.status = 200}, {.date = rfc_date}),
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(HttpAnswerText, KeepsBodiesFromHeadRequests) {
  const auto text = format_answer(text_answer(405, "body"), {.head_request = true});
  EXPECT_THAT(text, AllOf(HasSubstr("content-length: 4\r\n"), EndsWith("\r\n\r\n")));
}

TEST(HttpAnswerText, SaysWhetherTheConnectionLivesOn) {
  const auto form = [](const char* head) { return form_for(request_of(head)); };
  const HttpAnswer ok{.status = 200};
  EXPECT_THAT(format_answer(ok, form("GET / HTTP/1.1\r\n\r\n")), Not(HasSubstr("connection")));
  EXPECT_THAT(format_answer(ok, form("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")),
              HasSubstr("connection: close\r\n"));
  EXPECT_THAT(format_answer(ok, form("GET / HTTP/1.0\r\n\r\n")),
              AllOf(StartsWith("HTTP/1.0 200"), HasSubstr("connection: close\r\n")));
  EXPECT_THAT(format_answer(ok, form("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")),
              HasSubstr("connection: keep-alive\r\n"));
  EXPECT_THAT(format_answer({.status = 400, .close = true}, form("HEAD / HTTP/1.1\r\n\r\n")),
              HasSubstr("connection: close\r\n"));
}

TEST(HttpAnswerText, UpgradesAreAnsweredAsTheReferenceDoes) {
  EXPECT_EQ(format_upgrade_answer(sample_accept, rfc_date),
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
            "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(ClientUpgrade, IsAcceptedByTheServerSide) {
  const auto text = format_upgrade_request("127.0.0.1:80", "/?y=1", sample_key, {{"Authorization", "Bearer x"}});
  ASSERT_TRUE(text.has_value());
  const auto request = request_of(*text);
  EXPECT_EQ(request.target, "/?y=1");
  EXPECT_EQ(request.header("host"), "127.0.0.1:80");
  EXPECT_EQ(request.header("authorization"), "Bearer x");
  const auto decision = answer_http(request, {}, "");
  ASSERT_TRUE(std::holds_alternative<Upgrade>(decision));
  const auto response = parse_response_head(format_upgrade_answer(std::get<Upgrade>(decision).accept_key, rfc_date));
  ASSERT_TRUE(response.has_value());
  EXPECT_TRUE(check_upgrade_answer(*response, sample_key).has_value());
}

std::string error_of_extra(channel::HttpHeaders extra) {
  const auto text = format_upgrade_request("x", "/", sample_key, extra);
  if (text) return "";
  EXPECT_EQ(text.error().kind, ErrorKind::invalid_input);
  return text.error().message;
}

TEST(ClientUpgrade, RefusesExtraHeadersThatAreNotTheCallers) {
  EXPECT_EQ(error_of_extra({{"X-A", "b\tc"}, {"x-b", ""}}), "");
  EXPECT_EQ(error_of_extra({{"bad header", "x"}}), "invalid exec-server WebSocket header name `bad header`");
  EXPECT_EQ(error_of_extra({{"", "x"}}), "invalid exec-server WebSocket header name ``");
  EXPECT_EQ(error_of_extra({{"x-a", "1\r\nhost: y"}}), "invalid value for exec-server WebSocket header `x-a`");
  EXPECT_EQ(error_of_extra({{"x-a", "1"}, {"X-A", "2"}}), "duplicate exec-server WebSocket header `x-a`");
  for (const char* name :
       {"Host", "connection", "Upgrade", "content-length", "transfer-encoding", "sec-websocket-key"}) {
    EXPECT_THAT(error_of_extra({{name, "x"}}), EndsWith("is controlled by the connection")) << name;
  }
}

TEST(ClientUpgrade, RefusesTargetsThatWouldBreakTheRequest) {
  EXPECT_FALSE(format_upgrade_request("x", "/a b", sample_key, {}).has_value());
  EXPECT_FALSE(format_upgrade_request("x", "/\r\nx: y", sample_key, {}).has_value());
  EXPECT_FALSE(format_upgrade_request("x\r\n", "/", sample_key, {}).has_value());
  EXPECT_FALSE(format_upgrade_request("x", "", sample_key, {}).has_value());
}

TEST(ClientUpgrade, ChecksTheAnswer) {
  const channel::HttpHeaders good = {
      {"upgrade", "WebSocket"}, {"connection", "Upgrade"}, {"sec-websocket-accept", std::string(sample_accept)}};
  EXPECT_TRUE(check_upgrade_answer({101, "", good}, sample_key).has_value());
  const auto refused = check_upgrade_answer({401, "Unauthorized", good}, sample_key);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "HTTP error: 401 Unauthorized");
  for (std::size_t missing = 0; missing < good.size(); ++missing) {
    auto headers = good;
    headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(check_upgrade_answer({101, "", headers}, sample_key).has_value()) << good[missing].first;
  }
  EXPECT_FALSE(check_upgrade_answer({101, "", good}, "anotherkey").has_value());
  auto with_extension = good;
  with_extension.emplace_back("sec-websocket-extensions", "permessage-deflate");
  EXPECT_FALSE(check_upgrade_answer({101, "", with_extension}, sample_key).has_value());
}

}  // namespace
}  // namespace outpost::transport
