#include "local/process/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/ascii.h"

namespace outpost::local {

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

constexpr std::array<std::string_view, 11> core_names = {"PATH", "SHELL",  "TMPDIR",   "TEMP",    "TMP", "HOME",
                                                         "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "USER"};
constexpr std::array<std::string_view, 3> default_excludes = {"*KEY*", "*SECRET*", "*TOKEN*"};

template <class Patterns>
bool matches_any(const Patterns& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) { return matches_name(pattern, name); });
}

Variables inherited(wire::EnvInherit inherit, const std::vector<std::string>& server_environment) {
  Variables variables;
  if (inherit == wire::EnvInherit::none) return variables;
  for (const std::string& line : server_environment) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view name = std::string_view(line).substr(0, equals);
    if (inherit == wire::EnvInherit::core && std::ranges::find(core_names, name) == core_names.end()) continue;
    variables.insert_or_assign(std::string(name), line.substr(equals + 1));
  }
  return variables;
}

}  // namespace

bool matches_name(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, star_name = 0;  // the last `*`, and how much it has eaten
  while (n < name.size()) {
    if (p < pattern.size() &&
        (pattern[p] == '?' || (pattern[p] != '*' && ascii::to_lower(pattern[p]) == ascii::to_lower(name[n])))) {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> child_environment(const wire::StartParams& params,
                                           const std::vector<std::string>& server_environment) {
  Variables variables;
  if (params.env_policy) {
    const wire::EnvPolicy& policy = *params.env_policy;
    variables = inherited(policy.inherit, server_environment);
    std::erase_if(variables, [&](const auto& variable) {
      return (!policy.ignore_default_excludes && matches_any(default_excludes, variable.first)) ||
             matches_any(policy.exclude, variable.first);
    });
    for (const auto& [name, value] : policy.set) variables.insert_or_assign(name, value);
    if (!policy.include_only.empty()) {
      std::erase_if(variables, [&](const auto& variable) { return !matches_any(policy.include_only, variable.first); });
    }
  }
  for (const auto& [name, value] : params.env) variables.insert_or_assign(name, value);

  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) lines.emplace_back(name).append("=").append(value);
  return lines;
}

void add_shell(std::vector<std::string>& environment, const std::string& shell) {
  const auto is_shell = [](const std::string& variable) { return variable.starts_with("SHELL="); };
  if (!std::ranges::any_of(environment, is_shell)) environment.push_back("SHELL=" + shell);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> lines;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) lines.emplace_back(*line);
  return lines;
}

}  // namespace outpost::local
