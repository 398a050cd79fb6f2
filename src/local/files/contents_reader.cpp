#include "local/files/contents_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/limits/file_reads.h"
#include "base/limits/files.h"
#include "local/files/file_error.h"
#include "local/files/open_file.h"
#include "os/file_contents.h"
#include "os/file_status.h"
#include "os/io.h"

namespace outpost::local {

namespace {

Error too_large() {
  return {ErrorKind::invalid_input, "file is too large to read: limit is 536870912 bytes"};
}
static_assert(limits::read_file_bytes_max == 536870912);

/// `would_block` is told as the failure that it is.
Error read_error(const os::IoCount& got) {
  return file_error(got.status == os::IoCount::would_block ? EAGAIN : got.error);
}

}  // namespace

Result<ContentsReader> ContentsReader::open(const std::string& path, bool follow_symlinks) {
  os::FileDescriptor file = OUTPOST_TRY(open_regular_file(path, follow_symlinks));
  const auto status = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file.get()));
  if (status.stx_size > limits::read_file_bytes_max) return fail(too_large());
  return ContentsReader(std::move(file), status.stx_size);
}

Result<> ContentsReader::make_room() {
  if (filled_ < bytes_.size()) return {};
  if (filled_ > limits::read_file_bytes_max) return fail(too_large());
  // One more than is expected, so that the end is seen without growing.
  std::size_t wanted = filled_ == 0 && expected_ > 0 ? expected_ + 1 : std::max(limits::first_read_bytes, filled_ * 2);
  wanted = std::min(wanted, limits::read_file_bytes_max + 1);
  Bytes larger(wanted);
  if (filled_ > 0) std::memcpy(larger.data(), bytes_.data(), filled_);
  bytes_ = std::move(larger);
  return {};
}

Result<bool> ContentsReader::read(std::size_t bytes_until, const std::stop_token& stop) {
  while (filled_ < bytes_until) {
    if (stop.stop_requested()) return fail(request_cancelled());
    OUTPOST_CHECK_OK(make_room());
    const std::size_t portion = std::min(bytes_.size() - filled_, limits::file_portion_bytes);
    const os::IoCount got = os::read_some(file_.get(), bytes_.whole().subspan(filled_, portion));
    if (got.status == os::IoCount::end) return true;
    if (got.status != os::IoCount::ok) return fail(read_error(got));
    filled_ += got.bytes;
  }
  return false;
}

Bytes ContentsReader::take() {
  bytes_.shrink(filled_);
  return std::move(bytes_);
}

Result<Bytes> read_block(int fd, std::uint64_t offset, std::size_t bytes) {
  Bytes block(bytes);
  std::size_t filled = 0;
  while (filled < bytes) {
    const os::IoCount got = os::read_some_at(fd, block.whole().subspan(filled), offset + filled);
    if (got.status == os::IoCount::end) break;
    if (got.status != os::IoCount::ok) return fail(read_error(got));
    filled += got.bytes;
  }
  block.shrink(filled);
  return block;
}

}  // namespace outpost::local
