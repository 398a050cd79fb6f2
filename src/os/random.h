#pragma once

#include "base/bytes.h"

namespace outpost::os {

/// Fills `out` with bytes from the kernel's generator (getrandom(2)), fit for keys and ids. Any thread.
void fill_random(MutableBytes out);

}  // namespace outpost::os
