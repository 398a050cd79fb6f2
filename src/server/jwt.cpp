#include "server/jwt.h"

#include <algorithm>
#include <limits>

#include "base/ascii.h"
#include "base/base64.h"
#include "crypto/hmac.h"
#include "wire/json_parser.h"

namespace outpost::server {

namespace {

using Limits = std::numeric_limits<std::int64_t>;

/// Base64 with the alphabet for URLs and without padding (RFC 7515, 2).
std::optional<std::string> decode_base64url(std::string_view text) {
  std::string standard;
  standard.reserve(text.size() + 3);
  for (const char c : text) {
    if (!ascii::is_letter(c) && !ascii::is_digit(c) && c != '-' && c != '_') return std::nullopt;
    standard.push_back(c == '-' ? '+' : c == '_' ? '/' : c);
  }
  while (standard.size() % 4 != 0) standard.push_back('=');
  const auto bytes = base64::decode(standard);
  if (!bytes) return std::nullopt;
  return std::string(as_text(bytes->view()));
}

/// Reads members of an object; one wrong type spoils it all.
class ClaimReader {
 public:
  explicit ClaimReader(wire::JsonView claims) : claims_(claims), good_(claims.is_object()) {}

  bool good() const { return good_; }
  std::optional<std::int64_t> integer(std::string_view name) {
    const wire::JsonView value = claims_.find(name);
    if (value.is_null()) return std::nullopt;
    const auto number = value.as_plain_int64();
    good_ &= number.has_value();
    return number;
  }
  std::optional<std::string> text(std::string_view name) {
    const wire::JsonView value = claims_.find(name);
    if (value.is_null()) return std::nullopt;
    good_ &= value.is_string();
    return std::string(value.as_string());
  }
  /// One text or a list of them.
  std::vector<std::string> texts(std::string_view name) {
    const wire::JsonView value = claims_.find(name);
    if (!value.is_array()) {
      const auto one = text(name);
      return one ? std::vector{*one} : std::vector<std::string>();
    }
    std::vector<std::string> all;
    for (const wire::JsonView element : value.elements()) {
      good_ &= element.is_string();
      all.emplace_back(element.as_string());
    }
    return all;
  }

 private:
  wire::JsonView claims_;
  bool good_;
};

bool is_hs256(std::string_view header_part) {
  const auto header = decode_base64url(header_part);
  wire::JsonDocument document;
  return header && wire::parse_json(*header, document) && document.root().find("alg").as_string() == "HS256";
}

std::optional<JwtClaims> read_claims(std::string_view claims_part) {
  const auto text = decode_base64url(claims_part);
  wire::JsonDocument document;
  if (!text || !wire::parse_json(*text, document)) return std::nullopt;
  ClaimReader reader(document.root());
  const auto expiry = reader.integer("exp");
  JwtClaims claims{.expiry = expiry.value_or(0),
                   .not_before = reader.integer("nbf"),
                   .issuer = reader.text("iss"),
                   .subject = reader.text("sub"),
                   .audiences = reader.texts("aud")};
  if (!expiry || !reader.good()) return std::nullopt;
  return claims;
}

/// Sums that end at the ends of the range; `skew` is not negative.
std::int64_t later(std::int64_t time, std::int64_t skew) {
  return time > Limits::max() - skew ? Limits::max() : time + skew;
}
std::int64_t earlier(std::int64_t time, std::int64_t skew) {
  return time < Limits::min() + skew ? Limits::min() : time - skew;
}

}  // namespace

std::optional<JwtClaims> verify_jwt(std::string_view token, ByteView key) {
  const auto first = token.find('.');
  const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto signature = decode_base64url(token.substr(second + 1));
  const crypto::Sha256Digest wanted = crypto::hmac_sha256(key, as_bytes(token.substr(0, second)));
  if (!signature || !crypto::equal_constant_time(as_bytes(*signature), wanted)) return std::nullopt;
  if (!is_hs256(token.substr(0, first))) return std::nullopt;
  return read_claims(token.substr(first + 1, second - first - 1));
}

std::optional<std::string_view> claims_problem(const JwtClaims& claims, const JwtRules& rules, std::int64_t now) {
  if (now > later(claims.expiry, rules.clock_skew_s)) return "expired websocket jwt";
  if (claims.not_before && now < earlier(*claims.not_before, rules.clock_skew_s)) {
    return "websocket jwt is not valid yet";
  }
  if (rules.issuer && claims.issuer != rules.issuer) return "websocket jwt issuer mismatch";
  if (rules.audience && std::ranges::find(claims.audiences, *rules.audience) == claims.audiences.end()) {
    return "websocket jwt audience mismatch";
  }
  return std::nullopt;
}

}  // namespace outpost::server
