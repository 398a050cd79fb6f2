#include "os/file_contents.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "os/file_status.h"
#include "os/files.h"

namespace outpost::os {

namespace {

constexpr auto offset_last = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());

template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

IoCount outcome(ssize_t moved, bool none_is_end) {
  if (moved > 0) return {.bytes = static_cast<std::size_t>(moved)};
  if (moved == 0) return {.status = none_is_end ? IoCount::end : IoCount::ok};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {.status = IoCount::would_block};
  return {.status = IoCount::failed, .error = errno};
}

/// Errors of copy_file_range that only say that these two files, or this kernel, don't do it.
bool means_unsupported(int error) {
  return error == EXDEV || error == EINVAL || error == EOPNOTSUPP || error == ENOSYS || error == EPERM ||
         error == EBADF || error == ETXTBSY;
}

}  // namespace

IoCount read_some_at(int fd, MutableBytes into, std::uint64_t offset) {
  if (offset > offset_last) return {.status = IoCount::failed, .error = EINVAL};
  return outcome(retry_interrupted([&] { return ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset)); }),
                 !into.empty());
}

IoCount write_some_at(int fd, ByteView from, std::uint64_t offset) {
  if (offset > offset_last) return {.status = IoCount::failed, .error = EINVAL};
  return outcome(retry_interrupted([&] { return ::pwrite(fd, from.data(), from.size(), static_cast<off_t>(offset)); }),
                 false);
}

SystemResult<> set_size(int fd, std::uint64_t bytes) {
  if (bytes > offset_last) return std::unexpected(EFBIG);
  if (retry_interrupted([&] { return ::ftruncate(fd, static_cast<off_t>(bytes)); }) != 0) return std::unexpected(errno);
  return {};
}

SystemResult<> flush_to_disk(int fd) {
  if (retry_interrupted([&] { return ::fsync(fd); }) != 0) return std::unexpected(errno);
  return {};
}

SystemResult<> flush_folder_to_disk(int folder) {
  const auto readable = open_at(folder, ".", O_RDONLY | O_DIRECTORY);
  if (!readable) return std::unexpected(readable.error());
  return flush_to_disk(readable->get());
}

SystemResult<> reserve_room(int fd, std::uint64_t bytes) {
  const auto status = status_of(fd);
  if (!status || bytes == 0 || bytes > offset_last) return {};
  const auto size = static_cast<off_t>(bytes);
  if (retry_interrupted([&] { return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size); }) == 0) return {};
  const int error = errno;
  if (error != ENOSPC && error != EDQUOT) return {};
  (void)set_size(fd, status->stx_size);
  return std::unexpected(error);
}

bool share_blocks(int from, int to) {
  return ::ioctl(to, FICLONE, from) == 0;
}

SystemResult<std::optional<std::uint64_t>> copy_some_at(int from, int to, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > offset_last) return std::unexpected(EINVAL);
  const ssize_t moved = retry_interrupted([&] {
    auto from_offset = static_cast<off_t>(offset);
    auto to_offset = static_cast<off_t>(offset);
    return ::copy_file_range(from, &from_offset, to, &to_offset, bytes, 0);
  });
  if (moved >= 0) return static_cast<std::uint64_t>(moved);
  if (means_unsupported(errno)) return std::nullopt;
  return std::unexpected(errno);
}

SystemResult<std::optional<DataRange>> next_data(int fd, std::uint64_t offset) {
  if (offset > offset_last) return std::nullopt;
  const off_t begin = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (begin < 0 && errno == ENXIO) return std::nullopt;
  if (begin < 0) return std::unexpected(errno == EINVAL || errno == ESPIPE ? ENOTSUP : errno);
  const off_t end = ::lseek(fd, begin, SEEK_HOLE);
  if (end < 0 && errno == ENXIO) return std::nullopt;  // cut short in between
  if (end < 0) return std::unexpected(errno);
  return DataRange{.begin = static_cast<std::uint64_t>(begin), .end = static_cast<std::uint64_t>(end)};
}

}  // namespace outpost::os
