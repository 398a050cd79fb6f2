#include "server/jwt.h"

#include <gtest/gtest.h>

#include "support/signed_token.h"

namespace outpost::server {
namespace {

using testing::base64url;
using testing::signed_token;

const std::string key = "0123456789abcdef0123456789abcdef";

std::optional<JwtClaims> verify(const std::string& token) {
  return verify_jwt(token, as_bytes(key));
}
std::optional<JwtClaims> claims_of(const std::string& claims) {
  return verify(signed_token(claims, key));
}

TEST(Jwt, GivesItsClaims) {
  const auto claims = claims_of(R"({"exp":17,"nbf":-3,"iss":"i\n","sub":"s","aud":["a","b"],"iat":{},"jti":null})");
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->expiry, 17);
  EXPECT_EQ(claims->not_before, -3);
  EXPECT_EQ(claims->issuer, "i\n");
  EXPECT_EQ(claims->subject, "s");
  EXPECT_EQ(claims->audiences, (std::vector<std::string>{"a", "b"}));
}

// Appendix A.1 of RFC 7515, made by somebody else.
TEST(Jwt, TakesTheExampleOfTheStandard) {
  const auto standard_key =
      base64::decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ+EstJQLr/T+1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow==");
  const std::string token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLm"
      "NvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const auto claims = verify_jwt(token, standard_key->view());
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->expiry, 1300819380);
  EXPECT_EQ(claims->issuer, "joe");
}

TEST(Jwt, AbsentAndNullAreTheSameButForTheExpiry) {
  const auto claims = claims_of(R"({"exp":1,"nbf":null,"iss":null,"aud":null,"sub":null})");
  ASSERT_TRUE(claims);
  EXPECT_FALSE(claims->not_before || claims->issuer || claims->subject);
  EXPECT_TRUE(claims->audiences.empty());
  EXPECT_FALSE(claims_of(R"({"exp":null})"));
  EXPECT_FALSE(claims_of("{}"));
}

TEST(Jwt, ClaimsOfWrongTypesAreRefused) {
  for (const std::string claims :
       {R"({"exp":"1"})", R"({"exp":1.5})", R"({"exp":1.0})", R"({"exp":9223372036854775808})",
        R"({"exp":1,"nbf":"1"})", R"({"exp":1,"nbf":0.5})", R"({"exp":1,"iss":1})", R"({"exp":1,"sub":7})",
        R"({"exp":1,"aud":1})", R"({"exp":1,"aud":["a",1]})", R"({"exp":1,"exp":2})", "[]", "1", "", "{",
        R"({"exp":1} x)"}) {
    EXPECT_FALSE(claims_of(claims)) << claims;
  }
}

TEST(Jwt, OtherAlgorithmsAreRefusedThoughTheSignatureIsRight) {
  const std::string claims = R"({"exp":1})";
  EXPECT_TRUE(verify(signed_token(claims, key, R"({"typ":7,"kid":"k","crit":["x"],"alg":"HS256"})")));
  for (const std::string header : {R"({"alg":"none"})", R"({"alg":"hs256"})", R"({"alg":"HS512"})",
                                   R"({"alg":["HS256"]})", R"({})", R"({"alg":"HS256","alg":"none"})", "HS256", ""}) {
    EXPECT_FALSE(verify(signed_token(claims, key, header))) << header;
  }
}

TEST(Jwt, AnotherKeyOrNoSignatureIsRefused) {
  const std::string claims = R"({"exp":1})";
  EXPECT_FALSE(verify(signed_token(claims, key + "x")));
  const std::string token = signed_token(claims, key);
  EXPECT_FALSE(verify(token.substr(0, token.rfind('.') + 1)));
  EXPECT_FALSE(verify(token + "="));
  EXPECT_FALSE(verify(token + "." + base64url("{}")));
  EXPECT_FALSE(verify(" " + token));
}

TEST(Jwt, EveryPrefixAndEveryChangedByteIsRefused) {
  const std::string token = signed_token(R"({"exp":1})", key);
  ASSERT_TRUE(verify(token));
  for (std::size_t i = 0; i < token.size(); ++i) {
    EXPECT_FALSE(verify(token.substr(0, i))) << i;
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verify(changed)) << i;
  }
}

TEST(JwtRules, SkewCountsOnBothSides) {
  const JwtRules rules{.clock_skew_s = 30};
  EXPECT_FALSE(claims_problem({.expiry = 100}, rules, 130));
  EXPECT_EQ(claims_problem({.expiry = 100}, rules, 131), "expired websocket jwt");
  EXPECT_FALSE(claims_problem({.expiry = 100, .not_before = 90}, rules, 60));
  EXPECT_EQ(claims_problem({.expiry = 100, .not_before = 90}, rules, 59), "websocket jwt is not valid yet");
}

TEST(JwtRules, TheEndsOfTheRangeAreNoOverflow) {
  const JwtRules rules{.clock_skew_s = INT64_MAX};
  EXPECT_FALSE(claims_problem({.expiry = INT64_MAX, .not_before = INT64_MIN}, rules, INT64_MAX));
  EXPECT_FALSE(claims_problem({.expiry = 0, .not_before = INT64_MAX}, rules, 0));
  EXPECT_EQ(claims_problem({.expiry = INT64_MIN}, {.clock_skew_s = 0}, 0), "expired websocket jwt");
}

TEST(JwtRules, IssuerAndAudienceAreAskedForInTheirTurn) {
  const JwtRules rules{.issuer = "i", .audience = "a"};
  const JwtClaims good{.expiry = 1, .issuer = "i", .audiences = {"x", "a"}};
  EXPECT_FALSE(claims_problem(good, rules, 0));
  EXPECT_FALSE(claims_problem({.expiry = 1, .issuer = "whoever", .audiences = {}}, {}, 0));
  EXPECT_EQ(claims_problem({.expiry = 1}, rules, 2), "expired websocket jwt");
  EXPECT_EQ(claims_problem({.expiry = 1}, rules, 0), "websocket jwt issuer mismatch");
  EXPECT_EQ(claims_problem({.expiry = 1, .issuer = "i"}, rules, 0), "websocket jwt audience mismatch");
}

}  // namespace
}  // namespace outpost::server
