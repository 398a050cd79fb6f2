// The input is parts of a token to be signed, so that what lies behind the signature is reached, and a token as it is.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/base64.h"
#include "crypto/hmac.h"
#include "server/jwt.h"

using namespace outpost;

static std::string base64url(ByteView bytes) {
  std::string text = base64::encode(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const ByteView key = as_bytes("0123456789abcdef0123456789abcdef");
  // Nobody signs by chance.
  if (server::verify_jwt(input, key)) std::abort();
  const auto cut = std::min(input.find('\n'), size);
  const std::string claims = base64url(as_bytes(cut < size ? input.substr(cut + 1) : std::string_view()));
  std::string raw(input.substr(0, cut));
  for (const std::string& header : {std::string("eyJhbGciOiJIUzI1NiJ9"), base64url(as_bytes(raw)), raw}) {
    std::string token = header + "." + claims;
    token += "." + base64url(crypto::hmac_sha256(key, as_bytes(token)));
    const auto verified = server::verify_jwt(token, key);
    if (verified && server::verify_jwt(token, as_bytes("another key"))) std::abort();
    if (verified)
      (void)server::claims_problem(*verified, {.issuer = "i", .audience = "a", .clock_skew_s = INT64_MAX}, 0);
  }
  return 0;
}
