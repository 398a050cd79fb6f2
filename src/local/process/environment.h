#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/protocol/process.h"

namespace outpost::local {

/// True if `pattern` matches the whole of `name`, without regard to ASCII case: `*` is any run, `?` any one byte,
/// nothing else is special. Linear in practice, never exponential.
bool matches_name(std::string_view pattern, std::string_view name);

/// Adds SHELL where there is none, as programs on a terminal expect (processes-and-sessions 9).
void add_shell(std::vector<std::string>& environment, const std::string& shell);

/// The environment of a child as `NAME=value` lines (processes-and-sessions 5.3): exactly `env` without a policy, else
/// what the policy makes of `server_environment` with `env` on top. Pure.
std::vector<std::string> child_environment(const wire::StartParams& params,
                                           const std::vector<std::string>& server_environment);

/// The variables of this process, as `NAME=value` lines.
std::vector<std::string> own_environment();

}  // namespace outpost::local
