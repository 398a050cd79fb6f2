#pragma once

#include <openssl/sha.h>

#include <array>
#include <cstddef>

#include "base/bytes.h"

/// Digests and the comparison of secrets. They use OpenSSL's plain functions, which need no provider to be loaded: a
/// server that only upgrades websockets starts in microseconds. From any thread; an object belongs to one.
namespace outpost::crypto {

using Sha1Digest = std::array<std::byte, 20>;
using Sha256Digest = std::array<std::byte, 32>;

/// FIPS 180-4. SHA-1 is for the websocket handshake (RFC 6455, 4.2.2) only: it protects nothing.
Sha1Digest sha1(ByteView data);
Sha256Digest sha256(ByteView data);

/// SHA-256 of what comes in portions.
class Sha256 {
 public:
  Sha256();
  void update(ByteView data);
  /// The digest of all that was given. The object is as new afterwards.
  Sha256Digest finish();

 private:
  SHA256_CTX state_;
};

/// Whether both are the same, in a time that depends on their sizes only. Different sizes are different at once.
bool equal_constant_time(ByteView left, ByteView right);

}  // namespace outpost::crypto
