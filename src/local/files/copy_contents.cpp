#include "local/files/copy_contents.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/limits/files.h"
#include "local/files/file_error.h"
#include "os/file_contents.h"
#include "os/file_status.h"
#include "os/wait.h"

namespace outpost::local {

namespace {

/// How long a file is that ends before the end that was expected.
struct Portion {
  std::uint64_t bytes = 0;
  bool at_end = false;
};

class ContentCopy {
 public:
  ContentCopy(int from, int to, const std::stop_token& stop) : from_(from), to_(to), stop_(stop) {}

  Result<> run() {
    auto before = OUTPOST_TRY_SYSTEM(file_error, os::status_of(from_));
    const auto target = OUTPOST_TRY_SYSTEM(file_error, os::status_of(to_));
    seekable_ = S_ISREG(target.stx_mode);
    if (before.stx_size == 0) return copy_to_end();
    if (seekable_ && os::share_blocks(from_, to_)) return {};
    for (int attempt = 1;; ++attempt) {
      OUTPOST_CHECK_OK(copy_up_to(before.stx_size));
      const auto after = OUTPOST_TRY_SYSTEM(file_error, os::status_of(from_));
      if (after.stx_size > before.stx_size || (after.stx_size == before.stx_size && same_time(before, after)))
        return {};
      // A writer's time comes before what it appends, so this may be growth alone; else another state can be whole.
      if (!seekable_ || attempt == limits::copy_attempts_max) {
        return fail(ErrorKind::io, "the file was changed while it was copied");
      }
      before = after;
      OUTPOST_CHECK_SYSTEM(file_error, os::set_size(to_, 0));
    }
  }

 private:
  Result<> copy_to_end() {
    for (std::uint64_t offset = 0;;) {
      const Portion portion = OUTPOST_TRY(copy_by_hand(offset, limits::file_portion_bytes));
      if (portion.at_end) return {};
      offset += portion.bytes;
    }
  }

  Result<> copy_up_to(std::uint64_t size) {
    std::uint64_t offset = 0;
    std::uint64_t end = size;
    while (offset < end) {
      const os::DataRange data = OUTPOST_TRY(data_at(offset, size));
      offset = data.begin;
      while (offset < std::min(data.end, end)) {
        const Portion portion = OUTPOST_TRY(copy_portion(offset, std::min(data.end, end) - offset));
        offset += portion.bytes;
        if (portion.at_end) end = offset;
      }
    }
    // A hole at the end leaves the file too short.
    if (seekable_) OUTPOST_CHECK_SYSTEM(file_error, os::set_size(to_, end));
    return {};
  }

  /// The next data before `size`; empty, at `size`, if there is none.
  Result<os::DataRange> data_at(std::uint64_t offset, std::uint64_t size) {
    const os::DataRange rest{.begin = offset, .end = size};
    if (!seekable_) return rest;
    const auto data = os::next_data(from_, offset);
    if (!data && data.error() == ENOTSUP) return rest;
    if (!data) return fail(file_error(data.error()));
    if (!*data) return os::DataRange{.begin = size, .end = size};
    return os::DataRange{.begin = std::min((*data)->begin, size), .end = std::min((*data)->end, size)};
  }

  Result<Portion> copy_portion(std::uint64_t offset, std::uint64_t bytes) {
    if (!in_kernel_ || !seekable_) return copy_by_hand(offset, bytes);
    if (stop_.stop_requested()) return fail(request_cancelled());
    const auto moved = OUTPOST_TRY_SYSTEM(
        file_error, os::copy_some_at(from_, to_, offset, std::min<std::uint64_t>(bytes, limits::file_portion_bytes)));
    if (moved && *moved > 0) return Portion{.bytes = *moved};
    // Not possible, or the end; some files of the kernel only say that it is.
    in_kernel_ = false;
    return copy_by_hand(offset, bytes);
  }

  Result<Portion> copy_by_hand(std::uint64_t offset, std::uint64_t bytes) {
    if (stop_.stop_requested()) return fail(request_cancelled());
    if (buffer_.empty()) buffer_ = Bytes(limits::file_portion_bytes);
    const MutableBytes room = buffer_.whole().first(std::min<std::uint64_t>(bytes, buffer_.size()));
    const os::IoCount got = os::read_some_at(from_, room, offset);
    if (got.status == os::IoCount::end) return Portion{.at_end = true};
    if (got.status == os::IoCount::would_block) return fail(file_error(EAGAIN));
    if (got.status == os::IoCount::failed) return fail(file_error(got.error));
    const ByteView read = ByteView(room).first(got.bytes);
    OUTPOST_CHECK_OK(seekable_ ? write_all_at(to_, read, offset) : write_all(to_, read, stop_));
    return Portion{.bytes = got.bytes};
  }

  static bool same_time(const struct statx& before, const struct statx& after) {
    return after.stx_mtime.tv_sec == before.stx_mtime.tv_sec && after.stx_mtime.tv_nsec == before.stx_mtime.tv_nsec;
  }

  const int from_;
  const int to_;
  const std::stop_token& stop_;
  bool seekable_ = false;
  bool in_kernel_ = true;
  Bytes buffer_;
};

}  // namespace

Result<> write_all_at(int fd, ByteView bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const os::IoCount count = os::write_some_at(fd, bytes, offset);
    if (count.status != os::IoCount::ok) return fail(file_error(count.error != 0 ? count.error : EAGAIN));
    bytes = bytes.subspan(count.bytes);
    offset += count.bytes;
  }
  return {};
}

Result<> write_all(int fd, ByteView bytes, const std::stop_token& stop) {
  while (!bytes.empty()) {
    if (stop.stop_requested()) return fail(request_cancelled());
    const os::IoCount count = os::write_some(fd, bytes);
    if (count.status == os::IoCount::would_block) {
      os::wait_until_writable(fd, limits::stop_seen_within);
      continue;
    }
    if (count.status != os::IoCount::ok) return fail(file_error(count.error));
    bytes = bytes.subspan(count.bytes);
  }
  return {};
}

Result<> copy_contents(const os::FileDescriptor& from, const os::FileDescriptor& to, const std::stop_token& stop) {
  return ContentCopy(from.get(), to.get(), stop).run();
}

}  // namespace outpost::local
