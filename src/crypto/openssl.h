#pragma once

#include <openssl/crypto.h>

namespace outpost::crypto {

/// To be called before anything makes OpenSSL load a provider: no configuration file of the machine is read, which
/// could name modules of anybody's. From any thread, any number of times.
inline void start_openssl() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace outpost::crypto
