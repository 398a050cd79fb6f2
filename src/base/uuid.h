#pragma once

#include <string>

#include "base/bytes.h"

namespace outpost {

/// Fills `out` with random bytes of the kernel, getrandom(2), fit for secrets. Ends the program if the kernel has none,
/// since ids that can be guessed would be worse. Safe from any thread; before the kernel's pool is ready it waits.
void fill_random(MutableBytes out);

/// A new random UUID, version 4 (RFC 9562, 5.4), 36 characters in lower case. Safe from any thread.
std::string random_uuid_v4();

}  // namespace outpost
