#pragma once

#include "wire/protocol/environment.h"

namespace outpost::local {

/// What is the server's and not the machine's to say: the bounds that were set.
struct DescribedLimits {
  std::uint64_t retention_ms = 0;
};

/// Describes this machine as it is at the time of the call: the folder the server was started in, its user, its shell.
wire::EnvironmentInfo describe_this_machine(const DescribedLimits& limits);

/// `sha256:` and 64 hexadecimal digits that are the same for every run of one build and differ between builds.
std::string provider_id();

}  // namespace outpost::local
