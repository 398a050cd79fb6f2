#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/fields.h"
#include "wire/protocol/environment.h"

/// The handshake (processes-and-sessions 2, 3; extensions 3).
namespace outpost::wire {

/// Which extensions of this family this version has.
inline constexpr bool retention_supported = true;
inline constexpr bool receipts_supported = true;

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

/// `outpost/session/mark` and `outpost/session/receipt`: everything before that mark has arrived (extensions 5.1).
struct ReceiptMark {
  static constexpr bool members_are_all = true;
  Ranged<1, json_integer_max> mark;
};
BOOST_DESCRIBE_STRUCT(ReceiptMark, (), (mark))

/// `outpost/session/list` (extensions 8).
struct ListSessionsParams {
  static constexpr bool members_are_all = true;
};
BOOST_DESCRIBE_STRUCT(ListSessionsParams, (), ())

struct ProcessCounts {
  std::uint64_t running = 0;  ///< or starting
  std::uint64_t exited = 0;
  std::uint64_t closed = 0;
};
BOOST_DESCRIBE_STRUCT(ProcessCounts, (), (running, exited, closed))

struct ListedSession {
  std::string session_id;
  std::string client_name;  ///< of the client that was attached last
  bool current = false;     ///< of the connection that asks
  bool attached = false;
  std::int64_t created_at_ms = 0;  ///< since 1970, as the next two
  Nullable<std::int64_t> detached_at_ms;
  Nullable<std::int64_t> expires_at_ms;
  std::int64_t retention_ms = 0;
  ProcessCounts processes;
};
BOOST_DESCRIBE_STRUCT(ListedSession, (),
                      (session_id, client_name, current, attached, created_at_ms, detached_at_ms, expires_at_ms,
                       retention_ms, processes))

struct ListSessionsResult {
  std::vector<ListedSession> sessions;  ///< oldest first
};
BOOST_DESCRIBE_STRUCT(ListSessionsResult, (), (sessions))

/// `outpost/session/attach` (extensions 8).
struct AttachSessionParams {
  static constexpr bool members_are_all = true;
  std::string session_id;
  Defaulted<bool, false> force;
};
BOOST_DESCRIBE_STRUCT(AttachSessionParams, (), (session_id, force))

struct AttachSessionResult {
  std::string session_id;
  std::int64_t retention_ms = 0;
};
BOOST_DESCRIBE_STRUCT(AttachSessionResult, (), (session_id, retention_ms))

/// `outpost/session/end` (extensions 8).
struct EndSessionParams {
  static constexpr bool members_are_all = true;
  std::string session_id;
};
BOOST_DESCRIBE_STRUCT(EndSessionParams, (), (session_id))

struct EndSessionResult {
  bool ended = true;
};
BOOST_DESCRIBE_STRUCT(EndSessionResult, (), (ended))

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
