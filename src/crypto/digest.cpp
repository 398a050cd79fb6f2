// The functions of this file are deprecated in favour of EVP, which loads a provider before its first digest.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "crypto/digest.h"

#include <openssl/crypto.h>

namespace outpost::crypto {
namespace {

const unsigned char* raw(ByteView data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

}  // namespace

Sha1Digest sha1(ByteView data) {
  Sha1Digest digest;
  SHA_CTX state;
  SHA1_Init(&state);
  SHA1_Update(&state, raw(data), data.size());
  SHA1_Final(reinterpret_cast<unsigned char*>(digest.data()), &state);
  return digest;
}

Sha256Digest sha256(ByteView data) {
  Sha256 sum;
  sum.update(data);
  return sum.finish();
}

Sha256::Sha256() {
  SHA256_Init(&state_);
}

void Sha256::update(ByteView data) {
  SHA256_Update(&state_, raw(data), data.size());
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest;
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &state_);
  SHA256_Init(&state_);
  return digest;
}

bool equal_constant_time(ByteView left, ByteView right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace outpost::crypto
