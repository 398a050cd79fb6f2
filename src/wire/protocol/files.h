#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "wire/fields.h"
#include "wire/sandbox_context.h"

/// The `fs/*` methods (filesystem 1) and `outpost/fs/*` (extensions 9). `followSymlinks`: none and true follow links.
namespace outpost::wire {

/// Offsets and sizes of files that the system can hold.
using FileOffset = Ranged<0, std::numeric_limits<std::int64_t>::max()>;
/// Permission bits, the umask not applied.
using FileMode = Ranged<0, 07777>;  // fixed by POSIX

/// `outpost` of fs/writeFile and fs/open (extensions 9.1).
struct WriteExtension {
  static constexpr std::array<ExtensionMember, 4> known_members{{
      {"atomic", true},
      {"exclusive", true},
      {"mode", true},
      {"fsync", true},
  }};
  std::optional<bool> atomic;
  std::optional<bool> exclusive;
  std::optional<FileMode> mode;
  std::optional<bool> fsync;
};
BOOST_DESCRIBE_STRUCT(WriteExtension, (), (atomic, exclusive, mode, fsync))

/// `outpost` of fs/close (extensions 9.1).
struct CloseExtension {
  static constexpr std::array<ExtensionMember, 1> known_members{{{"discard", true}}};
  std::optional<bool> discard;
};
BOOST_DESCRIBE_STRUCT(CloseExtension, (), (discard))

struct ReadFileParams {
  PathUri path;
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(ReadFileParams, (), (path, follow_symlinks, sandbox, outpost))

struct WriteFileParams {
  PathUri path;
  CheckedBase64 data_base64;
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
  Extension<WriteExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(WriteFileParams, (), (path, data_base64, follow_symlinks, sandbox, outpost))

struct CreateDirectoryParams {
  PathUri path;
  std::optional<bool> recursive;  ///< none: true
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(CreateDirectoryParams, (), (path, recursive, follow_symlinks, sandbox, outpost))

struct GetMetadataParams {
  PathUri path;
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(GetMetadataParams, (), (path, follow_symlinks, sandbox, outpost))

struct GetMetadataResult {
  bool is_directory = false;
  bool is_file = false;
  bool is_symlink = false;
  std::uint64_t size = 0;           ///< bytes
  std::int64_t created_at_ms = 0;   ///< since 1970 UTC; 0: not known
  std::int64_t modified_at_ms = 0;  ///< since 1970 UTC
};
BOOST_DESCRIBE_STRUCT(GetMetadataResult, (), (is_directory, is_file, is_symlink, size, created_at_ms, modified_at_ms))

struct CanonicalizeParams {
  PathUri path;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(CanonicalizeParams, (), (path, sandbox, outpost))

struct CanonicalizeResult {
  PathUri path;
};
BOOST_DESCRIBE_STRUCT(CanonicalizeResult, (), (path))

struct ReadDirectoryParams {
  PathUri path;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(ReadDirectoryParams, (), (path, sandbox, outpost))

struct DirectoryEntry {
  std::string file_name;  ///< UTF-8; what isn't became U+FFFD
  bool is_directory = false;
  bool is_file = false;
};
BOOST_DESCRIBE_STRUCT(DirectoryEntry, (), (file_name, is_directory, is_file))

struct ReadDirectoryResult {
  std::vector<DirectoryEntry> entries;
};
BOOST_DESCRIBE_STRUCT(ReadDirectoryResult, (), (entries))

struct WalkOptions {
  std::uint64_t max_depth = 0;
  std::uint64_t max_directories = 0;
  std::uint64_t max_entries = 0;
  bool follow_directory_symlinks = false;
  Defaulted<bool, false> prune_hidden_directories;
};
BOOST_DESCRIBE_STRUCT(WalkOptions, (),
                      (max_depth, max_directories, max_entries, follow_directory_symlinks, prune_hidden_directories))

struct WalkParams {
  PathUri path;
  WalkOptions options;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(WalkParams, (), (path, options, sandbox, outpost))

enum class WalkKind { file, directory };
BOOST_DESCRIBE_ENUM(WalkKind, file, directory)

struct WalkEntry {
  PathUri path;
  WalkKind kind{};
};
BOOST_DESCRIBE_STRUCT(WalkEntry, (), (path, kind))

struct WalkError {
  PathUri path;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(WalkError, (), (path, message))

struct WalkResult {
  std::vector<WalkEntry> entries;
  std::vector<WalkError> errors;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(WalkResult, (), (entries, errors, truncated))

struct RemoveParams {
  PathUri path;
  std::optional<bool> recursive;  ///< none: true
  std::optional<bool> force;      ///< none: true
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(RemoveParams, (), (path, recursive, force, follow_symlinks, sandbox, outpost))

struct CopyParams {
  PathUri source_path;
  PathUri destination_path;
  bool recursive = false;
  SandboxContext sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(CopyParams, (), (source_path, destination_path, recursive, sandbox, outpost))

enum class OpenMode { read, replace, update };
BOOST_DESCRIBE_ENUM(OpenMode, read, replace, update)

struct OpenParams {
  std::string handle_id;
  PathUri path;
  Defaulted<OpenMode, OpenMode::read> mode;
  SandboxContext sandbox;
  Extension<WriteExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(OpenParams, (), (handle_id, path, mode, sandbox, outpost))

/// Only in the answer to an fs/open with `outpost`.
struct OpenGrant {
  std::uint64_t size = 0;  ///< bytes of what was there before
};
BOOST_DESCRIBE_STRUCT(OpenGrant, (), (size))

struct OpenResult {
  std::string handle_id;
  std::optional<OpenGrant> outpost;
};
BOOST_DESCRIBE_STRUCT(OpenResult, (), (handle_id, outpost))

struct ReadBlockParams {
  std::string handle_id;
  std::uint64_t offset = 0;
  std::uint64_t len = 0;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(ReadBlockParams, (), (handle_id, offset, len, outpost))

struct WriteBlockParams {
  std::string handle_id;
  std::uint64_t offset = 0;
  Base64Bytes chunk;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(WriteBlockParams, (), (handle_id, offset, chunk, outpost))

struct CloseParams {
  std::string handle_id;
  Extension<CloseExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(CloseParams, (), (handle_id, outpost))

struct WatchMissingParams {
  std::uint64_t watch_id = 0;
  std::vector<PathUri> missing;
  std::optional<PathUri> present;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(WatchMissingParams, (), (watch_id, missing, present, outpost))

struct WatchMissingResult {
  bool watching = false;
};
BOOST_DESCRIBE_STRUCT(WatchMissingResult, (), (watching))

/// The notification `fs/missingChanged`.
struct MissingChanged {
  std::uint64_t watch_id = 0;
};
BOOST_DESCRIBE_STRUCT(MissingChanged, (), (watch_id))

struct RenameParams {
  static constexpr bool members_are_all = true;
  PathUri source_path;
  PathUri destination_path;
  std::optional<bool> replace;  ///< none: true
  SandboxContext sandbox;
};
BOOST_DESCRIBE_STRUCT(RenameParams, (), (source_path, destination_path, replace, sandbox))

struct DigestParams {
  static constexpr bool members_are_all = true;
  PathUri path;
  std::optional<FileOffset> offset;  ///< none: 0
  std::optional<FileOffset> length;  ///< none: to the end
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
};
BOOST_DESCRIBE_STRUCT(DigestParams, (), (path, offset, length, follow_symlinks, sandbox))

struct DigestResult {
  std::string sha256;  ///< 64 lower-case hexadecimal digits
  std::uint64_t bytes = 0;
  std::uint64_t size = 0;
};
BOOST_DESCRIBE_STRUCT(DigestResult, (), (sha256, bytes, size))

struct SetMetadataParams {
  static constexpr bool members_are_all = true;
  PathUri path;
  std::optional<FileMode> mode;
  std::optional<std::int64_t> modified_at_ms;
  std::optional<FileOffset> size;
  std::optional<bool> follow_symlinks;
  SandboxContext sandbox;
};
BOOST_DESCRIBE_STRUCT(SetMetadataParams, (), (path, mode, modified_at_ms, size, follow_symlinks, sandbox))

struct ReadDirectoryFullParams {
  static constexpr bool members_are_all = true;
  PathUri path;
  SandboxContext sandbox;
};
BOOST_DESCRIBE_STRUCT(ReadDirectoryFullParams, (), (path, sandbox))

enum class EntryKind { file, directory, symlink, fifo, socket, block, char_ };
BOOST_DESCRIBE_ENUM(EntryKind, file, directory, symlink, fifo, socket, block, char_)

struct FullDirectoryEntry {
  PathUri uri;
  std::string name;  ///< for people; bytes that aren't UTF-8 became U+FFFD
  bool name_is_lossy = false;
  EntryKind kind{};
  std::uint64_t size = 0;
  std::uint32_t mode = 0;  ///< permission bits
  std::int64_t modified_at_ms = 0;
  std::optional<std::string> link_target;
  std::optional<bool> link_target_is_lossy;  ///< only where it is
};
BOOST_DESCRIBE_STRUCT(FullDirectoryEntry, (),
                      (uri, name, name_is_lossy, kind, size, mode, modified_at_ms, link_target, link_target_is_lossy))

struct ReadDirectoryFullResult {
  std::vector<FullDirectoryEntry> entries;
};
BOOST_DESCRIBE_STRUCT(ReadDirectoryFullResult, (), (entries))

}  // namespace outpost::wire
