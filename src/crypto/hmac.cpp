#include "crypto/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <new>

#include "crypto/openssl.h"

namespace outpost::crypto {

Sha256Digest hmac_sha256(ByteView key, ByteView data) {
  start_openssl();
  Sha256Digest digest;
  unsigned size = 0;
  // OpenSSL takes a null key for "the one from before", even if it is empty.
  const void* key_data = key.empty() ? static_cast<const void*>("") : key.data();
  if (::HMAC(EVP_sha256(), key_data, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
             data.size(), reinterpret_cast<unsigned char*>(digest.data()), &size) == nullptr) {
    throw std::bad_alloc();
  }
  return digest;
}

}  // namespace outpost::crypto
