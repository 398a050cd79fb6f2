#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace outpost::os {

/// The literal addresses of a host, at least one, in the order to try them. A literal address is its own (its scope
/// becomes a number, `fe80::1%2`); `localhost` and names below
/// it are answered here, so that an empty root without /etc/hosts will do (RFC 6761, 6.3). Other names are looked up,
/// which blocks: not on a busy loop.
Result<std::vector<std::string>> resolve_host(const std::string& host);

}  // namespace outpost::os
