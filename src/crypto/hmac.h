#pragma once

#include "base/bytes.h"
#include "crypto/digest.h"

namespace outpost::crypto {

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1). From any thread. The first call makes OpenSSL load its default provider;
/// no configuration file of the machine is read for it. Throws std::bad_alloc where OpenSSL has no memory.
Sha256Digest hmac_sha256(ByteView key, ByteView data);

}  // namespace outpost::crypto
