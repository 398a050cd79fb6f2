#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

/// JSON web tokens of the kind that a server takes: signed with HS256 (RFC 7515, 7519). Pure.
namespace outpost::server {

/// What a token claims, as far as anybody looks at it. Times are seconds since 1970.
struct JwtClaims {
  std::int64_t expiry = 0;
  std::optional<std::int64_t> not_before = {};
  std::optional<std::string> issuer = {};
  std::optional<std::string> subject = {};
  std::vector<std::string> audiences = {};
};

/// The claims of a token whose signature with `key` is right; nothing where anything is wrong with its form, its
/// algorithm, its signature, or the types of its claims (network 2). The signature is judged first, in constant time:
/// nothing of a stranger's token is parsed. Claims that are null count as absent; `exp` may not be.
std::optional<JwtClaims> verify_jwt(std::string_view token, ByteView key);

/// What a server asks of claims.
struct JwtRules {
  std::optional<std::string> issuer = {};
  std::optional<std::string> audience = {};
  std::int64_t clock_skew_s = 0;
};

/// Why these claims don't do at `now`, in seconds since 1970: the text of the refusal; nothing if they do.
std::optional<std::string_view> claims_problem(const JwtClaims& claims, const JwtRules& rules, std::int64_t now);

}  // namespace outpost::server
