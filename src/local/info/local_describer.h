#pragma once

#include <string>

#include "wire/protocol/environment.h"

namespace outpost::local {

/// What is the server's and not the machine's to say: the bounds that were set, and what it does at the end of a
/// process.
struct DescribedServer {
  std::uint64_t retention_ms = 0;
  std::uint64_t retain_bytes = 0;
  std::string containment;
  bool environment_config = true;
};

/// Describes this machine as it is at the time of the call: the folder the server was started in, its user, its shell.
wire::EnvironmentInfo describe_this_machine(const DescribedServer& server);

/// `sha256:` and 64 hexadecimal digits that are the same for every run of one build and differ between builds.
std::string provider_id();

}  // namespace outpost::local
