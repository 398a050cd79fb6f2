#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "wire/fields.h"
#include "wire/protocol/environment.h"

/// The handshake (processes-and-sessions 2, 3; extensions 3).
namespace outpost::wire {

/// Which extensions of this family this version has.
inline constexpr bool retention_supported = true;
inline constexpr bool receipts_supported = false;

/// Milliseconds that may be asked for; the server grants less.
using RetentionMs = Ranged<0, (std::int64_t{1} << 53) - 1>;

struct InitializeExtension {
  std::optional<RetentionMs> retention_ms;
  std::optional<bool> receipts;  ///< the client answers `outpost/session/mark`

  static constexpr std::array<ExtensionMember, 2> known_members{{
      {"retentionMs", retention_supported},
      {"receipts", receipts_supported},
  }};
};
BOOST_DESCRIBE_STRUCT(InitializeExtension, (), (retention_ms, receipts))

struct InitializeParams {
  std::string client_name;  ///< for the log only; may be empty
  Nullable<std::string> resume_session_id;
  Extension<InitializeExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(InitializeParams, (), (client_name, resume_session_id, outpost))

/// What holds for the session; only in the answer to an `initialize` with `outpost`.
struct InitializeGrant {
  std::int64_t retention_ms = 0;
  bool resumed = false;
  std::string receipts;  ///< `mark`, `ping`, `socket` or `none` (extensions 5.3)
};
BOOST_DESCRIBE_STRUCT(InitializeGrant, (), (retention_ms, resumed, receipts))

struct InitializeResult {
  std::string session_id;
  std::optional<EnvironmentInfo> environment_info;  ///< older servers leave it out
  std::optional<InitializeGrant> outpost;
};
BOOST_DESCRIBE_STRUCT(InitializeResult, (), (session_id, environment_info, outpost))

}  // namespace outpost::wire
