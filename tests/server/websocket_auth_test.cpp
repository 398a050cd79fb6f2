#include "server/websocket_auth.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/hex.h"
#include "crypto/digest.h"
#include "support/signed_token.h"

namespace outpost::server {
namespace {

using Mode = WebsocketAuthOptions::Mode;
const std::string secret = "0123456789abcdef0123456789abcdef";

class WebsocketAuth : public ::testing::Test {
 protected:
  WebsocketAuth() {
    std::string pattern = ::testing::TempDir() + "outpost-auth-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~WebsocketAuth() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  static std::string error_of(const WebsocketAuthOptions& options) {
    const auto check = make_upgrade_check(options);
    return check ? "none" : check.error().message;
  }
  /// What a check says to a header: the subject, or the status and the text of the refusal.
  static std::string ask(const channel::UpgradeCheck& check, const std::string& header) {
    channel::HttpRequest request;
    request.headers = {{"host", "x"}, {"authorization", header}, {"authorization", "Bearer second"}};
    return text_of(check(request, "peer"));
  }
  static std::string text_of(const std::variant<channel::UpgradeAccepted, channel::HttpAnswer>& verdict) {
    if (const auto* accepted = std::get_if<channel::UpgradeAccepted>(&verdict)) return accepted->subject;
    const auto& refused = std::get<channel::HttpAnswer>(verdict);
    EXPECT_EQ(refused.headers, (channel::HttpHeaders{{"content-type", "text/plain; charset=utf-8"}}));
    return std::to_string(refused.status) + " " + refused.body;
  }
  static std::string subject_of_token(const std::string& token) {
    return "token:" + to_hex(crypto::sha256(as_bytes(token)));
  }

  std::string folder_;
};

TEST_F(WebsocketAuth, WithoutAModeThereIsNoCheck) {
  const auto check = make_upgrade_check({});
  ASSERT_TRUE(check);
  EXPECT_FALSE(*check);
}

TEST_F(WebsocketAuth, TheHeaderIsTakenApart) {
  const auto check = *make_upgrade_check({.mode = Mode::capability_token, .token_files = {file("t", " \ttok\n\n")}});
  const std::string bad_header = "401 invalid authorization header", bad_token = "401 invalid websocket bearer token";
  EXPECT_EQ(text_of(check({}, "peer")), "401 missing websocket bearer token");
  for (const std::string good : {"Bearer tok", "bEARER tok", "Bearer    tok", "Bearer \ttok\t "}) {
    EXPECT_EQ(ask(check, good), subject_of_token("tok")) << good;
  }
  for (const std::string bad : {"", "Bearer", "Bearer ", "Bearer  \t", "Bearer\ttok", "Basic tok", "tok", " Bearer tok",
                                "Bearer t\xc3\xb6k", "Bearer t\x01k", "Bearer tok\x7f"}) {
    EXPECT_EQ(ask(check, bad), bad_header) << bad;
  }
  for (const std::string bad : {"Bearer to", "Bearer tokk", "Bearer TOK", "Bearer tok tok", "Bearer Bearer tok"}) {
    EXPECT_EQ(ask(check, bad), bad_token) << bad;
  }
}

TEST_F(WebsocketAuth, EachOfSeveralTokensIsASubject) {
  const auto files =
      *make_upgrade_check({.mode = Mode::capability_token, .token_files = {file("a", "one"), file("b", "two")}});
  EXPECT_EQ(ask(files, "Bearer one"), subject_of_token("one"));
  EXPECT_EQ(ask(files, "Bearer two"), subject_of_token("two"));
  const auto digests = *make_upgrade_check(
      {.mode = Mode::capability_token,
       .token_sha256 = {" 2C70E12B7A0646F92279F427C7B38E7334D8E5389CFF167A1DC30E73F826B683\n",  // of `key`
                        std::string(64, '0')}});
  EXPECT_EQ(ask(digests, "Bearer key"), subject_of_token("key"));
  EXPECT_EQ(ask(digests, "Bearer one"), "401 invalid websocket bearer token");
}

TEST_F(WebsocketAuth, ASignedTokenIsItsIssuerAndSubject) {
  const auto check = *make_upgrade_check(
      {.mode = Mode::signed_bearer_token, .shared_secret_file = file("s", secret + "\n"), .audience = " a "});
  const auto bearer = [](const std::string& claims) { return "Bearer " + testing::signed_token(claims, secret); };
  EXPECT_EQ(ask(check, bearer(R"({"exp":99999999999,"aud":"a","iss":"i","sub":"s"})")), "jwt:i\ns");
  EXPECT_EQ(ask(check, bearer(R"({"exp":99999999999,"aud":"a"})")), "jwt:\n");
  EXPECT_EQ(ask(check, bearer(R"({"exp":99999999999})")), "401 websocket jwt audience mismatch");
  EXPECT_EQ(ask(check, bearer(R"({"exp":1})")), "401 expired websocket jwt");
  EXPECT_EQ(ask(check, bearer(R"({"aud":"a"})")), "401 invalid websocket jwt");
  EXPECT_EQ(ask(check, "Bearer tok"), "401 invalid websocket jwt");
}

TEST_F(WebsocketAuth, BlankIssuerAndAudienceAreNotAskedFor) {
  const auto check = *make_upgrade_check(
      {.mode = Mode::signed_bearer_token, .shared_secret_file = file("s", secret), .issuer = " ", .audience = ""});
  EXPECT_EQ(ask(check, "Bearer " + testing::signed_token(R"({"exp":99999999999})", secret)), "jwt:\n");
}

TEST_F(WebsocketAuth, SecretsMustBeThereAndLongEnough) {
  const auto token = [](const std::string& path) {
    return error_of({.mode = Mode::capability_token, .token_files = {path}});
  };
  const auto shared = [](const std::string& path) {
    return error_of({.mode = Mode::signed_bearer_token, .shared_secret_file = path});
  };
  EXPECT_EQ(token("/nonexistent"),
            "failed to read websocket auth secret /nonexistent: No such file or directory (os error 2)");
  EXPECT_EQ(token(folder_), "failed to read websocket auth secret " + folder_ + ": Is a directory (os error 21)");
  EXPECT_EQ(token(file("e", " \n")), "websocket auth secret " + folder_ + "/e must not be empty");
  EXPECT_EQ(token(file("x", "\xff")),
            "failed to read websocket auth secret " + folder_ + "/x: stream did not contain valid UTF-8");
  EXPECT_EQ(shared(file("s", secret.substr(1) + "\n\n")),
            "signed websocket bearer secret " + folder_ + "/s must be at least 32 bytes");
  EXPECT_EQ(shared(file("e", "")), "websocket auth secret " + folder_ + "/e must not be empty");
  EXPECT_EQ(shared(file("s", secret)), "none");
}

TEST_F(WebsocketAuth, ARelativePathStartsAtTheCurrentFolder) {
  const std::string text = error_of({.mode = Mode::capability_token, .token_files = {"no/../such"}});
  EXPECT_EQ(text, "failed to read websocket auth secret " + (std::filesystem::current_path() / "such").string() +
                      ": No such file or directory (os error 2)");
}

TEST_F(WebsocketAuth, OptionsThatDoNotFitAreRefused) {
  const std::string token = file("t", "x"), needs_signed =
                                                "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and "
                                                "`--ws-max-clock-skew-seconds` require `--ws-auth signed-bearer-token`";
  const std::string flags =
      "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`";
  const std::string digest = "--ws-token-sha256 must be a 64-character hex SHA-256 digest";
  EXPECT_EQ(error_of({.token_files = {token}}), flags);
  EXPECT_EQ(error_of({.token_sha256 = {"x"}}), flags);
  EXPECT_EQ(error_of({.shared_secret_file = token}), flags);
  EXPECT_EQ(error_of({.issuer = ""}), flags);
  EXPECT_EQ(error_of({.audience = "x"}), flags);
  EXPECT_EQ(error_of({.clock_skew_seconds = 1}), flags);
  EXPECT_EQ(error_of({.mode = Mode::capability_token}),
            "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set");
  EXPECT_EQ(error_of({.mode = Mode::capability_token, .token_files = {token}, .token_sha256 = {std::string(64, 'a')}}),
            "`--ws-token-file` and `--ws-token-sha256` are mutually exclusive");
  for (const std::string& bad : {std::string("zz"), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g')}) {
    EXPECT_EQ(error_of({.mode = Mode::capability_token, .token_sha256 = {bad}}), digest) << bad;
  }
  EXPECT_EQ(error_of({.mode = Mode::capability_token, .token_files = {token}, .issuer = "x"}), needs_signed);
  EXPECT_EQ(error_of({.mode = Mode::capability_token, .token_files = {token}, .clock_skew_seconds = 0}), needs_signed);
  EXPECT_EQ(error_of({.mode = Mode::signed_bearer_token}),
            "`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set");
  EXPECT_EQ(
      error_of({.mode = Mode::signed_bearer_token, .token_files = {token}}),
      "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`");
  EXPECT_EQ(error_of({.mode = Mode::signed_bearer_token,
                      .shared_secret_file = file("s", secret),
                      .clock_skew_seconds = 9223372036854775808U}),
            "websocket auth clock skew must fit in a signed 64-bit integer");
}

}  // namespace
}  // namespace outpost::server
