#pragma once

#include <functional>

namespace outpost::os {

/// Runs `body` in a child of its own, for what would change this process: 0 or the errno that `body` returned, or why
/// there was no child. Only where there are no other threads.
int error_in_child(const std::function<int()>& body);

}  // namespace outpost::os
