#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "channel/upgrade.h"

namespace outpost::server {

/// How those who open a websocket prove who they are, as the command line says it (processes-and-sessions 12).
struct WebsocketAuthOptions {
  enum class Mode { none, capability_token, signed_bearer_token };
  Mode mode = Mode::none;
  std::vector<std::string> token_files = {};
  std::vector<std::string> token_sha256 = {};  ///< 64 hexadecimal digits each
  std::optional<std::string> shared_secret_file = {};
  std::optional<std::string> issuer = {};
  std::optional<std::string> audience = {};
  std::optional<std::uint64_t> clock_skew_seconds = {};
};

/// The check of those options; empty with `Mode::none`. Reads the files, once and for all. Fails with
/// `ErrorKind::invalid_input` and the texts of processes-and-sessions 12 and network 2; no text holds a secret. What
/// the check refuses is 401 with a text of network 2; whom it accepts has a subject of extensions 3.
Result<channel::UpgradeCheck> make_upgrade_check(const WebsocketAuthOptions& options);

}  // namespace outpost::server
