#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "capability/file_system.h"
#include "local/files/worker_pool.h"
#include "local/files/writable_file.h"
#include "os/fd.h"

namespace outpost::local {

/// What a handle of fs/open stands for.
struct OpenFile {
  wire::OpenMode mode{};
  os::FileDescriptor reading;           ///< with `OpenMode::read`
  std::optional<WritableFile> writing;  ///< with the others
  bool local = false;                   ///< on a file system that answers at once
  bool ready = false;                   ///< the opening is over
  bool flushes = false;                 ///< its closing waits for the disk

  int fd() const { return writing ? writing->fd() : reading.get(); }
};

/// The handles of one connection, by id (filesystem 5). Belongs to its loop.
using Handles = std::unordered_map<std::string, std::shared_ptr<OpenFile>>;

/// One request, taken apart into what is done where.
struct FileCall {
  /// The answer; none, if it has to go on on a thread because it takes long.
  using Outcome = Result<std::optional<capability::FileAnswer>>;

  std::vector<std::string> paths;  ///< whose file systems it may meet
  WorkerPool::Lane lane = WorkerPool::Lane::quick;
  bool may_run_here = true;      ///< on the loop, if it meets only file systems that answer at once
  bool follows_entries = false;  ///< links in a folder of `paths`, which lead anywhere
  /// Does the work, on the loop (`here`) or on a thread. Called again on a thread where it gave no answer on the loop.
  std::move_only_function<Outcome(const std::stop_token& stop, bool here)> run;
  /// Done on the loop before the answer, null telling that all is well; may be empty.
  std::move_only_function<void(const Error* problem)> settle = {};
  std::shared_ptr<OpenFile> file = {};  ///< the one that it works on or opens
};

/// What the request asks for; `handles` outlives the call's `settle`. Fails with what can be told without the file
/// system. On the loop.
Result<FileCall> plan(capability::FileRequest request, Handles& handles);
/// The part of `plan` for what has a handle.
Result<FileCall> plan_open(wire::OpenParams params, Handles& handles);
Result<FileCall> plan_read_block(wire::ReadBlockParams params, Handles& handles);
Result<FileCall> plan_write_block(wire::WriteBlockParams params, Handles& handles);
Result<FileCall> plan_close(wire::CloseParams params, Handles& handles);

/// The native path of a URI, unless a sandbox is asked for, which there isn't yet. `enforced`: what it would have to
/// limit, `fileRead` or `fileWrite`.
Result<std::string> checked_path(const wire::PathUri& uri, const wire::SandboxContext& sandbox,
                                 std::string_view enforced);
WriteOptions write_options(const wire::WriteExtension& extension);

}  // namespace outpost::local
