#include "local/files/file_call.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <utility>
#include <variant>

#include "base/limits/file_reads.h"
#include "base/utf8.h"
#include "local/files/contents_reader.h"
#include "local/files/copy_path.h"
#include "local/files/create_directory.h"
#include "local/files/digest_file.h"
#include "local/files/environment_config.h"
#include "local/files/file_error.h"
#include "local/files/list_directory.h"
#include "local/files/list_full.h"
#include "local/files/metadata.h"
#include "local/files/remove_path.h"
#include "local/files/rename_path.h"
#include "local/files/set_metadata.h"
#include "local/files/walk.h"
#include "os/file_status.h"
#include "os/real_path.h"
#include "wire/path_uri.h"

namespace outpost::local {

namespace {

using capability::FileAnswer;
using Outcome = FileCall::Outcome;
using Stop = const std::stop_token&;

/// What a unit gave, as the answer that it is.
template <class T>
Outcome answered(Result<T> result) {
  if (!result) return fail(std::move(result).error());
  return FileAnswer(*std::move(result));
}
Outcome answered(Result<> result) {
  if (!result) return fail(std::move(result).error());
  return FileAnswer(wire::EmptyObject{});
}

bool followed(const std::optional<bool>& follow_symlinks) {
  return follow_symlinks.value_or(true);
}

Result<FileCall> plan_for(wire::ReadFileParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  FileCall call{.paths = {path}, .run = {}};
  call.run = [path, follow = followed(params.follow_symlinks), reader = std::optional<ContentsReader>()](
                 Stop stop, bool here) mutable -> Outcome {
    if (!reader) reader = OUTPOST_TRY(ContentsReader::open(path, follow));
    if (here && reader->expected() > limits::read_here_bytes_max) return std::nullopt;
    const std::size_t until = here ? limits::read_here_bytes_max + 1 : limits::read_file_bytes_max + 1;
    if (!OUTPOST_TRY(reader->read(until, stop)) && here) return std::nullopt;
    return FileAnswer(capability::FileContents{reader->take()});
  };
  return call;
}

Result<FileCall> plan_for(wire::WriteFileParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileWrite"));
  if (!params.data_base64.fault.empty()) {
    return fail(ErrorKind::invalid_input, "fs/writeFile requires valid base64 dataBase64: " + params.data_base64.fault);
  }
  WriteOptions options = write_options(params.outpost.members);
  options.follow_symlinks = followed(params.follow_symlinks);
  FileCall call{.paths = {path}, .run = {}};
  // A FIFO may have no room for now, and what is to be on the disk takes long.
  call.may_run_here =
      params.data_base64.bytes.size() <= limits::read_here_bytes_max && !options.fsync && !options.atomic;
  call.run = [path, options, bytes = std::move(params.data_base64.bytes)](Stop stop, bool here) -> Outcome {
    if (here) {
      const auto status = os::target_status_at(AT_FDCWD, path.c_str());
      if (status && !S_ISREG(status->stx_mode)) return std::nullopt;
    }
    return answered(write_file(path, bytes.view(), options, stop));
  };
  return call;
}

Result<FileCall> plan_for(wire::CreateDirectoryParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileWrite"));
  return FileCall{.paths = {path},
                  .run = [path, recursive = params.recursive.value_or(true), follow = followed(params.follow_symlinks)](
                             Stop, bool) { return answered(create_directory(path, recursive, follow)); }};
}

Result<FileCall> plan_for(wire::GetMetadataParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  return FileCall{.paths = {path}, .run = [path, follow = followed(params.follow_symlinks)](Stop, bool) {
                    return answered(metadata_of(path, follow));
                  }};
}

Result<FileCall> plan_for(wire::CanonicalizeParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  return FileCall{.paths = {path}, .run = [path](Stop, bool) -> Outcome {
                    const std::string real = OUTPOST_TRY_SYSTEM(file_error, os::real_path(path.c_str()));
                    return FileAnswer(wire::CanonicalizeResult{{wire::uri_from_path(real)}});
                  }};
}

Result<FileCall> plan_for(wire::ReadDirectoryParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  FileCall call{.paths = {path}, .follows_entries = true, .run = {}};
  call.run = [path, lister = std::optional<DirectoryLister>()](Stop stop, bool here) mutable -> Outcome {
    if (!lister) lister = OUTPOST_TRY(DirectoryLister::open(path));
    bool end = false;
    do end = OUTPOST_TRY(lister->read(limits::list_here_entries_max, stop));
    while (!end && !here);
    if (!end) return std::nullopt;
    return answered(lister->take());
  };
  return call;
}

Result<FileCall> plan_for(wire::WalkParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  return FileCall{
      .paths = {path},
      .lane = WorkerPool::Lane::slow,
      .may_run_here = false,
      .run = [path, options = params.options](Stop stop, bool) { return answered(walk(path, options, stop)); }};
}

Result<FileCall> plan_for(wire::RemoveParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileWrite"));
  const RemoveOptions options{.recursive = params.recursive.value_or(true),
                              .force = params.force.value_or(true),
                              .follow_symlinks = followed(params.follow_symlinks)};
  return FileCall{.paths = {path},
                  .lane = options.recursive ? WorkerPool::Lane::slow : WorkerPool::Lane::quick,
                  .run = [path, options](Stop stop, bool here) -> Outcome {
                    if (here && options.recursive) {
                      const auto status = os::status_at(AT_FDCWD, path.c_str());
                      if (status && S_ISDIR(status->stx_mode)) return std::nullopt;
                    }
                    return answered(remove_path(path, options, stop));
                  }};
}

Result<FileCall> plan_for(wire::CopyParams params) {
  std::string source = OUTPOST_TRY(checked_path(params.source_path, params.sandbox, "fileRead"));
  std::string destination = OUTPOST_TRY(checked_path(params.destination_path, params.sandbox, "fileWrite"));
  return FileCall{.paths = {source, destination},
                  .lane = WorkerPool::Lane::slow,
                  .may_run_here = false,
                  .run = [source, destination, recursive = params.recursive](Stop stop, bool) {
                    return answered(copy_path(source, destination, recursive, stop));
                  }};
}

Result<FileCall> plan_for(wire::RenameParams params) {
  std::string source = OUTPOST_TRY(checked_path(params.source_path, params.sandbox, "fileWrite"));
  std::string destination = OUTPOST_TRY(checked_path(params.destination_path, params.sandbox, "fileWrite"));
  return FileCall{.paths = {source, destination},
                  .run = [source, destination, replace = params.replace.value_or(true)](Stop, bool) {
                    return answered(rename_path(source, destination, replace));
                  }};
}

Result<FileCall> plan_for(wire::DigestParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  FileCall call{.paths = {path}, .lane = WorkerPool::Lane::slow, .may_run_here = false, .run = {}};
  call.run = [path, params = std::move(params)](Stop stop, bool) -> Outcome {
    std::optional<std::uint64_t> length;
    if (params.length) length = static_cast<std::uint64_t>(params.length->value);
    const auto offset = static_cast<std::uint64_t>(params.offset ? params.offset->value : 0);
    FileDigest digest = OUTPOST_TRY(digest_file(path, offset, length, followed(params.follow_symlinks), stop));
    return FileAnswer(wire::DigestResult{std::move(digest.sha256), digest.bytes, digest.size});
  };
  return call;
}

Result<FileCall> plan_for(wire::SetMetadataParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileWrite"));
  if (!params.mode && !params.modified_at_ms && !params.size) {
    return fail(ErrorKind::invalid_params, "mode, modifiedAtMs or size is required");
  }
  MetadataChange change{.mode = {}, .modified_at_ms = params.modified_at_ms, .size = {}};
  if (params.mode) change.mode = static_cast<std::uint32_t>(params.mode->value);
  if (params.size) change.size = static_cast<std::uint64_t>(params.size->value);
  change.follow_symlinks = followed(params.follow_symlinks);
  return FileCall{.paths = {path}, .run = [path, change](Stop, bool) { return answered(set_metadata(path, change)); }};
}

wire::EntryKind kind_of(os::FolderReader::Kind kind) {
  using From = os::FolderReader::Kind;
  using To = wire::EntryKind;
  constexpr std::array<std::pair<From, To>, 6> kinds{{{From::folder, To::directory},
                                                      {From::link, To::symlink},
                                                      {From::fifo, To::fifo},
                                                      {From::socket, To::socket},
                                                      {From::block_device, To::block},
                                                      {From::character_device, To::char_}}};
  for (const auto& [from, to] : kinds) {
    if (from == kind) return to;
  }
  return To::file;
}

wire::FullDirectoryEntry shown(const FullEntry& entry, const std::string& folder) {
  wire::FullDirectoryEntry listed;
  listed.uri = {wire::uri_from_path((folder == "/" ? "" : folder) + "/" + entry.name)};
  listed.name = to_utf8_lossy(as_bytes(entry.name));
  listed.name_is_lossy = !is_utf8(entry.name);
  listed.kind = kind_of(entry.kind);
  listed.size = entry.size;
  listed.mode = entry.mode;
  listed.modified_at_ms = entry.modified_at_ms;
  if (entry.link_target) {
    listed.link_target = to_utf8_lossy(as_bytes(*entry.link_target));
    if (!is_utf8(*entry.link_target)) listed.link_target_is_lossy = true;
  }
  return listed;
}

Result<FileCall> plan_for(wire::ReadDirectoryFullParams params) {
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, "fileRead"));
  return FileCall{.paths = {path}, .may_run_here = false, .run = [path](Stop stop, bool) -> Outcome {
                    wire::ReadDirectoryFullResult result;
                    for (const FullEntry& entry : OUTPOST_TRY(list_directory_full(path, stop))) {
                      result.entries.push_back(shown(entry, path));
                    }
                    return FileAnswer(std::move(result));
                  }};
}

Result<FileCall> plan_for(wire::EnvironmentConfigParams params) {
  // Its files lie in many places, of which any may hang.
  return FileCall{.paths = {}, .may_run_here = false, .run = [params = std::move(params)](Stop stop, bool) -> Outcome {
                    return answered(read_environment_config(params, config_places(), stop));
                  }};
}

}  // namespace

Result<std::string> checked_path(const wire::PathUri& uri, const wire::SandboxContext& sandbox,
                                 std::string_view enforced) {
  std::string path = OUTPOST_TRY(wire::path_from_uri(uri.text));
  if (!sandbox.limits) return path;
  return fail(ErrorKind::sandbox_unavailable,
              "sandbox cannot enforce " + std::string(enforced) + " here: this server has no sandbox");
}

WriteOptions write_options(const wire::WriteExtension& extension) {
  WriteOptions options;
  options.atomic = extension.atomic.value_or(false);
  options.exclusive = extension.exclusive.value_or(false);
  options.fsync = extension.fsync.value_or(false);
  if (extension.mode) options.mode = static_cast<std::uint32_t>(extension.mode->value);
  return options;
}

Result<FileCall> plan(capability::FileRequest request, Handles& handles) {
  return std::visit(
      [&]<class T>(T& params) -> Result<FileCall> {
        if constexpr (std::is_same_v<T, wire::OpenParams>) {
          return plan_open(std::move(params), handles);
        } else if constexpr (std::is_same_v<T, wire::ReadBlockParams>) {
          return plan_read_block(std::move(params), handles);
        } else if constexpr (std::is_same_v<T, wire::WriteBlockParams>) {
          return plan_write_block(std::move(params), handles);
        } else if constexpr (std::is_same_v<T, wire::CloseParams>) {
          return plan_close(std::move(params), handles);
        } else if constexpr (std::is_same_v<T, wire::WatchMissingParams>) {
          return fail(ErrorKind::internal, "a watch is no call");
        } else {
          return plan_for(std::move(params));
        }
      },
      request);
}

}  // namespace outpost::local
