#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/limits/processes.h"
#include "wire/fields.h"
#include "wire/sandbox_context.h"

/// The `process/*` methods and notifications (processes-and-sessions 5 to 8; extensions 4, 7, 13).
namespace outpost::wire {

enum class EnvInherit { core, all, none };
BOOST_DESCRIBE_ENUM(EnvInherit, core, all, none)

/// How the environment of a child is made of the server's (processes-and-sessions 5.3).
struct EnvPolicy {
  EnvInherit inherit = EnvInherit::core;
  bool ignore_default_excludes = false;
  std::vector<std::string> exclude;
  std::map<std::string, std::string> set;
  std::vector<std::string> include_only;
};
BOOST_DESCRIBE_STRUCT(EnvPolicy, (), (inherit, ignore_default_excludes, exclude, set, include_only))

/// Attribution for telemetry only.
struct StartMetadata {
  std::optional<std::string> thread_id;
  std::optional<std::string> tool_call_id;
};
BOOST_DESCRIBE_STRUCT(StartMetadata, (), (thread_id, tool_call_id))

/// Of a terminal, in characters.
struct TerminalSize {
  static constexpr bool members_are_all = true;
  Ranged<1, 65535> rows = 24;
  Ranged<1, 65535> cols = 80;
};
BOOST_DESCRIBE_STRUCT(TerminalSize, (), (rows, cols))

/// What becomes of output while no client is there (extensions 4.1).
enum class OnDetach { drain, hold };
BOOST_DESCRIBE_ENUM(OnDetach, drain, hold)

struct StartExtension {
  static constexpr std::array<ExtensionMember, 6> known_members{{
      {"onDetach", true},
      {"size", true},
      {"timeoutMs", true},
      {"graceMs", true},
      {"limits", true},  // known although they can't be had, so that the caller learns why (extensions 4.4)
      {"retainBytes", true},
  }};
  std::optional<OnDetach> on_detach;
  std::optional<TerminalSize> size;
  std::optional<Ranged<1, limits::process_timeout_max_ms>> timeout_ms;
  std::optional<Ranged<0, limits::grace_max_ms>> grace_ms;
  Presence limits;
  std::optional<Ranged<std::int64_t{limits::process_retention_least}, json_integer_max>> retain_bytes;
};
BOOST_DESCRIBE_STRUCT(StartExtension, (), (on_detach, size, timeout_ms, grace_ms, limits, retain_bytes))

struct StartParams {
  std::string process_id;         ///< any text, chosen by the client; scope is the session
  std::vector<std::string> argv;  ///< may come empty: the handler refuses that
  PathUri cwd;
  std::map<std::string, std::string> env;
  bool tty = false;
  std::optional<EnvPolicy> env_policy;
  Defaulted<bool, false> pipe_stdin;
  std::optional<std::string> arg0;
  SandboxContext sandbox;
  Defaulted<bool, false> enforce_managed_network;
  Presence managed_network;
  Presence network_proxy;
  Presence shell_snapshot;
  std::optional<StartMetadata> metadata;
  Extension<StartExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(StartParams, (),
                      (process_id, argv, cwd, env, tty, env_policy, pipe_stdin, arg0, sandbox, enforce_managed_network,
                       managed_network, network_proxy, shell_snapshot, metadata, outpost))

enum class SandboxType { none, linux_seccomp, macos_seatbelt, windows_restricted_token, windows_mxc };
BOOST_DESCRIBE_ENUM(SandboxType, none, linux_seccomp, macos_seatbelt, windows_restricted_token, windows_mxc)

/// What holds, for a start that gave `outpost`.
struct StartedExtension {
  std::string on_detach;  ///< `drain` or `hold`
  std::uint64_t retain_bytes = 0;
  std::int64_t pid = 0;
};
BOOST_DESCRIBE_STRUCT(StartedExtension, (), (on_detach, retain_bytes, pid))

struct StartResult {
  std::string process_id;
  SandboxType sandbox_type = SandboxType::none;
  std::optional<StartedExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(StartResult, (), (process_id, sandbox_type, outpost))

struct ReadExtension {
  static constexpr std::array<ExtensionMember, 2> known_members{{{"head", true}, {"tail", true}}};
  std::optional<Ranged<0, std::int64_t{limits::output_head_bytes}>> head;
  std::optional<Ranged<0, std::int64_t{limits::output_tail_bytes_max}>> tail;
};
BOOST_DESCRIBE_STRUCT(ReadExtension, (), (head, tail))

struct ReadParams {
  std::string process_id;
  std::optional<std::uint64_t> after_seq;
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::uint64_t> wait_ms;
  Extension<ReadExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(ReadParams, (), (process_id, after_seq, max_bytes, wait_ms, outpost))

enum class OutputStream { stdout, stderr, pty };
BOOST_DESCRIBE_ENUM(OutputStream, stdout, stderr, pty)

struct OutputChunk {
  std::uint64_t seq = 0;
  OutputStream stream = OutputStream::stdout;
  Base64Bytes chunk;
};
BOOST_DESCRIBE_STRUCT(OutputChunk, (), (seq, stream, chunk))

/// As a client reads it; a server writes it with `wire/process_events.h`.
struct ReadResult {
  std::vector<OutputChunk> chunks;
  std::uint64_t next_seq = 1;
  bool exited = false;
  Nullable<std::int32_t> exit_code;
  bool closed = false;
  Nullable<std::string> failure;
  Defaulted<bool, false> sandbox_denied;
};
BOOST_DESCRIBE_STRUCT(ReadResult, (), (chunks, next_seq, exited, exit_code, closed, failure, sandbox_denied))

struct WriteParams {
  std::string process_id;
  Base64Bytes chunk;
  std::string write_id;  ///< may come empty: the handler refuses that
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(WriteParams, (), (process_id, chunk, write_id, outpost))

enum class WriteStatus { accepted, unknown_process, stdin_closed, starting };
BOOST_DESCRIBE_ENUM(WriteStatus, accepted, unknown_process, stdin_closed, starting)

struct WriteResult {
  WriteStatus status = WriteStatus::accepted;
};
BOOST_DESCRIBE_STRUCT(WriteResult, (), (status))

enum class Signal { interrupt };
BOOST_DESCRIBE_ENUM(Signal, interrupt)

struct SignalParams {
  std::string process_id;
  Signal signal = Signal::interrupt;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(SignalParams, (), (process_id, signal, outpost))

struct TerminateExtension {
  static constexpr std::array<ExtensionMember, 1> known_members{{{"graceMs", true}}};
  std::optional<Ranged<1, limits::grace_max_ms>> grace_ms;
};
BOOST_DESCRIBE_STRUCT(TerminateExtension, (), (grace_ms))

struct TerminateParams {
  std::string process_id;
  Extension<TerminateExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(TerminateParams, (), (process_id, outpost))

struct TerminateResult {
  bool running = false;  ///< the leader was alive, and is killed
};
BOOST_DESCRIBE_STRUCT(TerminateResult, (), (running))

/// `outpost/process/closeStdin` (extensions 7); answered with a `WriteResult`.
struct CloseStdinParams {
  static constexpr bool members_are_all = true;
  std::string process_id;
};
BOOST_DESCRIBE_STRUCT(CloseStdinParams, (), (process_id))

/// `outpost/process/resize` (extensions 7).
struct ResizeParams {
  static constexpr bool members_are_all = true;
  std::string process_id;
  Ranged<1, 65535> rows;
  Ranged<1, 65535> cols;
};
BOOST_DESCRIBE_STRUCT(ResizeParams, (), (process_id, rows, cols))

enum class AnySignal { term, hup, quit, usr1, usr2, kill, int_, winch, cont, stop };
BOOST_DESCRIBE_ENUM(AnySignal, term, hup, quit, usr1, usr2, kill, int_, winch, cont, stop)
enum class SignalTarget { group, foreground };
BOOST_DESCRIBE_ENUM(SignalTarget, group, foreground)

/// `outpost/process/signal` (extensions 7).
struct AnySignalParams {
  static constexpr bool members_are_all = true;
  std::string process_id;
  AnySignal signal = AnySignal::term;
  std::optional<SignalTarget> target;
};
BOOST_DESCRIBE_STRUCT(AnySignalParams, (), (process_id, signal, target))

struct AnySignalResult {
  bool delivered = false;  ///< there was somebody
};
BOOST_DESCRIBE_STRUCT(AnySignalResult, (), (delivered))

/// `outpost/process/list` (extensions 7).
struct ListParams {
  static constexpr bool members_are_all = true;
};
BOOST_DESCRIBE_STRUCT(ListParams, (), ())

/// Why a process ended (extensions 4.3). `itself` is never written.
enum class EndedBy { itself, timeout, terminate };
BOOST_DESCRIBE_ENUM(EndedBy, itself, timeout, terminate)

/// The member `outpost` of an answer to process/read: what there is to tell of it.
struct ReadAnswerExtension {
  std::optional<EndedBy> ended_by;
  std::optional<std::uint64_t> total_bytes;  ///< of all output; for a view, as the next two
  std::optional<std::uint64_t> omitted_bytes;
  std::optional<Nullable<std::uint64_t>> omitted_after_seq;
};
BOOST_DESCRIBE_STRUCT(ReadAnswerExtension, (), (ended_by, total_bytes, omitted_bytes, omitted_after_seq))

enum class ProcessStage { starting, running, exited, closed };
BOOST_DESCRIBE_ENUM(ProcessStage, starting, running, exited, closed)

struct ListedProcess {
  std::string process_id;
  Nullable<std::int64_t> pid;
  std::vector<std::string> argv;  ///< its first `limits::listed_argv_bytes_max` bytes
  bool argv_truncated = false;
  bool tty = false;
  ProcessStage state = ProcessStage::starting;
  std::int64_t started_at_ms = 0;  ///< since 1970
  Nullable<std::int32_t> exit_code;
  std::optional<EndedBy> ended_by;
  std::uint64_t first_seq = 1;
  std::uint64_t next_seq = 1;
  std::uint64_t retained_bytes = 0;  ///< of output
  std::string on_detach;
};
BOOST_DESCRIBE_STRUCT(ListedProcess, (),
                      (process_id, pid, argv, argv_truncated, tty, state, started_at_ms, exit_code, ended_by, first_seq,
                       next_seq, retained_bytes, on_detach))

struct ListResult {
  std::vector<ListedProcess> processes;  ///< in order of their start
};
BOOST_DESCRIBE_STRUCT(ListResult, (), (processes))

/// Params of `process/output` as a client reads them; so for the two below.
struct OutputEvent {
  std::string process_id;
  std::uint64_t seq = 0;
  OutputStream stream = OutputStream::stdout;
  Base64Bytes chunk;
};
BOOST_DESCRIBE_STRUCT(OutputEvent, (), (process_id, seq, stream, chunk))

struct ExitedEvent {
  std::string process_id;
  std::uint64_t seq = 0;
  std::int32_t exit_code = 0;
  Defaulted<bool, false> sandbox_denied;
};
BOOST_DESCRIBE_STRUCT(ExitedEvent, (), (process_id, seq, exit_code, sandbox_denied))

struct ClosedEvent {
  std::string process_id;
  std::uint64_t seq = 0;
};
BOOST_DESCRIBE_STRUCT(ClosedEvent, (), (process_id, seq))

}  // namespace outpost::wire
