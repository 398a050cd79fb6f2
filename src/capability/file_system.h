#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "wire/protocol/environment_config.h"
#include "wire/protocol/files.h"

namespace outpost::capability {

/// A request to the files of a machine, or to the configuration in them: the params of its method.
using FileRequest =
    std::variant<wire::ReadFileParams, wire::WriteFileParams, wire::CreateDirectoryParams, wire::GetMetadataParams,
                 wire::CanonicalizeParams, wire::ReadDirectoryParams, wire::WalkParams, wire::RemoveParams,
                 wire::CopyParams, wire::OpenParams, wire::ReadBlockParams, wire::WriteBlockParams, wire::CloseParams,
                 wire::WatchMissingParams, wire::RenameParams, wire::DigestParams, wire::SetMetadataParams,
                 wire::ReadDirectoryFullParams, wire::EnvironmentConfigParams>;

/// What fs/readFile and fs/readBlock bring.
struct FileContents {
  Bytes bytes;
};
struct FileBlock {
  Bytes bytes;
  bool eof = false;
};

/// The answer to a request; which one follows from the method.
using FileAnswer =
    std::variant<wire::EmptyObject, FileContents, FileBlock, wire::GetMetadataResult, wire::CanonicalizeResult,
                 wire::ReadDirectoryResult, wire::WalkResult, wire::OpenResult, wire::WatchMissingResult,
                 wire::DigestResult, wire::ReadDirectoryFullResult, wire::EnvironmentConfigResult>;
using FileDone = std::move_only_function<void(Result<FileAnswer>)>;

/// What one connection has of the files of a machine: its handles, its watch, and its share of the work that may run at
/// a time. Its end closes the handles and drops what was not done yet; no `done` is called any more. Belongs to a loop.
class FileClient {
 public:
  virtual ~FileClient() = default;
  /// Answers on the loop, once, from within the call or later. Requests run beside each other: those that need an
  /// order, as two of one handle do, are for the caller to hold back. `stop` ends what takes long with
  /// `ErrorKind::cancelled`; who ends the client asks those under way to stop first.
  virtual void call(FileRequest request, std::stop_token stop, FileDone done) = 0;
  /// While false, no work is begun that takes long or a thread: what it would bring has no room.
  virtual void set_flowing(bool flowing) = 0;
};

/// The files of one machine. Belongs to a loop.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// `missing_changed` is told of the watch that fired (filesystem 5, fs/watchMissing).
  virtual std::unique_ptr<FileClient> connect(
      std::move_only_function<void(std::uint64_t watch_id)> missing_changed) = 0;
};

}  // namespace outpost::capability
