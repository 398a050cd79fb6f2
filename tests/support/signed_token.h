#pragma once

#include <string>

#include "base/base64.h"
#include "crypto/hmac.h"

namespace outpost::testing {

inline std::string base64url(std::string_view text) {
  std::string encoded = base64::encode(as_bytes(text));
  while (encoded.ends_with('=')) encoded.pop_back();
  for (char& c : encoded) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return encoded;
}

/// A JWT, signed as `HS256` whatever its header says.
inline std::string signed_token(std::string_view claims, std::string_view key,
                                std::string_view header = R"({"alg":"HS256"})") {
  std::string token = base64url(header) + "." + base64url(claims);
  const auto signature = crypto::hmac_sha256(as_bytes(key), as_bytes(token));
  return token + "." + base64url(as_text(signature));
}

}  // namespace outpost::testing
