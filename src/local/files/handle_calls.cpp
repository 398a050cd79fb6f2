#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/limits/file_reads.h"
#include "local/files/contents_reader.h"
#include "local/files/file_call.h"
#include "local/files/file_error.h"
#include "local/files/open_file.h"
#include "os/file_status.h"

namespace outpost::local {

namespace {

using capability::FileAnswer;
using Outcome = FileCall::Outcome;
using Stop = const std::stop_token&;

constexpr std::uint64_t last_offset = std::numeric_limits<std::int64_t>::max();  // fixed by off_t

Result<> check_id(const std::string& id) {
  if (id.size() <= limits::handle_id_bytes_max) return {};
  return fail(ErrorKind::invalid_input, "file handle ID must not exceed 32 bytes");
}
static_assert(limits::handle_id_bytes_max == 32 && limits::file_block_bytes_max == 1048576);

Result<> check_length(std::uint64_t bytes, const char* what) {
  if (bytes >= 1 && bytes <= limits::file_block_bytes_max) return {};
  return fail(ErrorKind::invalid_input, std::string(what) + " length must be between 1 and 1048576");
}

Result<std::shared_ptr<OpenFile>> find(const Handles& handles, const std::string& id) {
  const auto found = handles.find(id);
  if (found == handles.end() || !found->second->ready) {
    return fail(ErrorKind::not_found, "unknown file handle `" + id + "`");
  }
  return found->second;
}

/// Members of `outpost` that the mode has no use for (extensions 9.1, 16.11).
Result<> check_extension(const wire::OpenParams& params) {
  const wire::WriteExtension& asked = params.outpost.members;
  const char* name = asked.atomic      ? "atomic"
                     : asked.exclusive ? "exclusive"
                     : asked.mode      ? "mode"
                     : asked.fsync     ? "fsync"
                                       : nullptr;
  if (params.mode.value == wire::OpenMode::read && name != nullptr) {
    return fail(ErrorKind::invalid_params, std::string("outpost.") + name + " needs mode replace or update");
  }
  if (params.mode.value == wire::OpenMode::update && asked.atomic.value_or(false)) {
    return fail(ErrorKind::invalid_params, "outpost.atomic needs mode replace");
  }
  return {};
}

Outcome open_file(OpenFile& file, const std::string& path, const wire::OpenParams& params) {
  wire::OpenResult result{.handle_id = params.handle_id, .outpost = {}};
  wire::OpenGrant grant;
  if (file.mode == wire::OpenMode::read) {
    file.reading = OUTPOST_TRY(open_regular_file(path, true));
    if (params.outpost.given) grant.size = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file.reading.get())).stx_size;
  } else {
    const auto purpose = file.mode == wire::OpenMode::replace ? OpenPurpose::replace : OpenPurpose::update;
    file.writing = OUTPOST_TRY(WritableFile::open(path, purpose, write_options(params.outpost.members)));
    grant.size = file.writing->size_before();
  }
  if (params.outpost.given) result.outpost = grant;
  return FileAnswer(std::move(result));
}

}  // namespace

Result<FileCall> plan_open(wire::OpenParams params, Handles& handles) {
  OUTPOST_CHECK_OK(check_extension(params));
  OUTPOST_CHECK_OK(check_id(params.handle_id));
  if (handles.contains(params.handle_id)) {
    return fail(ErrorKind::invalid_input, "file handle `" + params.handle_id + "` already exists");
  }
  if (handles.size() >= limits::file_handles_max) {
    return fail(ErrorKind::limit_reached,
                "at most " + std::to_string(limits::file_handles_max) + " file handles may be open per connection");
  }
  const bool reads = params.mode.value == wire::OpenMode::read;
  std::string path = OUTPOST_TRY(checked_path(params.path, params.sandbox, reads ? "fileRead" : "fileWrite"));
  auto file = std::make_shared<OpenFile>();
  file->mode = params.mode.value;
  file->flushes = params.outpost.members.fsync.value_or(false) || params.outpost.members.atomic.value_or(false);
  handles.emplace(params.handle_id, file);
  FileCall call{.paths = {path}, .run = {}, .file = file};
  call.settle = [&handles, id = params.handle_id, file](const Error* problem) {
    file->ready = problem == nullptr;
    if (problem != nullptr) handles.erase(id);
  };
  call.run = [file, path, params = std::move(params)](Stop, bool) { return open_file(*file, path, params); };
  return call;
}

Result<FileCall> plan_read_block(wire::ReadBlockParams params, Handles& handles) {
  OUTPOST_CHECK_OK(check_id(params.handle_id));
  OUTPOST_CHECK_OK(check_length(params.len, "file read block"));
  auto file = OUTPOST_TRY(find(handles, params.handle_id));
  FileCall call{.paths = {}, .run = {}, .file = file};
  // A failed read closes the handle, one that was given up doesn't.
  call.settle = [&handles, file, id = params.handle_id](const Error* problem) {
    if (problem == nullptr || problem->kind == ErrorKind::cancelled) return;
    const auto found = handles.find(id);
    if (found != handles.end() && found->second == file) handles.erase(found);
  };
  call.run = [file, offset = params.offset, bytes = params.len](Stop, bool) -> Outcome {
    if (file->mode == wire::OpenMode::replace) return fail(file_error(EBADF));
    if (offset > last_offset) return fail(file_error(EINVAL));
    const std::size_t wanted = std::min<std::uint64_t>(bytes, last_offset - offset);
    capability::FileBlock block{.bytes = OUTPOST_TRY(read_block(file->fd(), offset, wanted)), .eof = false};
    block.eof = block.bytes.size() < bytes;
    return FileAnswer(std::move(block));
  };
  return call;
}

Result<FileCall> plan_write_block(wire::WriteBlockParams params, Handles& handles) {
  OUTPOST_CHECK_OK(check_id(params.handle_id));
  const std::uint64_t size = params.chunk.bytes.size();
  OUTPOST_CHECK_OK(check_length(size, "file write block"));
  auto file = OUTPOST_TRY(find(handles, params.handle_id));
  if (file->mode == wire::OpenMode::read) return fail(file_error(EBADF));
  if (params.offset > last_offset - size) {
    return fail(ErrorKind::invalid_input, "file write range exceeds the signed 64-bit file offset limit");
  }
  FileCall call{.paths = {}, .run = {}, .file = file};
  call.run = [file, offset = params.offset, bytes = std::move(params.chunk.bytes)](Stop stop, bool) -> Outcome {
    OUTPOST_CHECK_OK(file->writing->write_at(offset, bytes.view(), stop));
    return FileAnswer(wire::EmptyObject{});
  };
  return call;
}

Result<FileCall> plan_close(wire::CloseParams params, Handles& handles) {
  OUTPOST_CHECK_OK(check_id(params.handle_id));
  FileCall call{.paths = {}, .run = [](Stop, bool) -> Outcome { return FileAnswer(wire::EmptyObject{}); }};
  const auto found = handles.find(params.handle_id);
  if (found == handles.end() || !found->second->ready) return call;
  call.file = std::move(found->second);
  handles.erase(found);
  // What is to be on the disk takes long.
  call.may_run_here = call.file->mode == wire::OpenMode::read || !call.file->flushes;
  call.run = [file = call.file, discard = params.outpost.members.discard.value_or(false)](Stop, bool) -> Outcome {
    if (file->writing && discard) file->writing->discard();
    if (file->writing && !discard) OUTPOST_CHECK_OK(file->writing->commit());
    file->reading.reset();
    file->writing.reset();
    return FileAnswer(wire::EmptyObject{});
  };
  return call;
}

}  // namespace outpost::local
