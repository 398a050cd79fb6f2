#pragma once

#include <expected>

namespace outpost::os {

/// What a thin wrapper of a system call gives: the failure is errno, and what it means is the caller's to say.
template <class T = void>
using SystemResult = std::expected<T, int>;

}  // namespace outpost::os

/// The value of a `SystemResult`, or an early return of what `error_of` makes of its errno (`os_error_text` and the
/// like); for functions that return a `Result`.
#define OUTPOST_TRY_SYSTEM(error_of, ...)                                    \
  ({                                                                         \
    auto try_result_ = (__VA_ARGS__);                                        \
    if (!try_result_) return ::outpost::fail(error_of(try_result_.error())); \
    *std::move(try_result_);                                                 \
  })
/// As OUTPOST_TRY_SYSTEM, for a call that gives nothing.
#define OUTPOST_CHECK_SYSTEM(error_of, ...)                                  \
  do {                                                                       \
    auto try_result_ = (__VA_ARGS__);                                        \
    if (!try_result_) return ::outpost::fail(error_of(try_result_.error())); \
  } while (false)
