#include "os/folder_reader.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/limits/files.h"

namespace outpost::os {

namespace {

FolderReader::Kind kind_of(unsigned char type) {
  using enum FolderReader::Kind;
  switch (type) {
    case DT_REG:
      return file;
    case DT_DIR:
      return folder;
    case DT_LNK:
      return link;
    case DT_FIFO:
      return fifo;
    case DT_SOCK:
      return socket;
    case DT_BLK:
      return block_device;
    case DT_CHR:
      return character_device;
    default:
      return unknown;
  }
}

}  // namespace

FolderReader::FolderReader(int fd)
    : fd_(fd), buffer_(std::make_unique_for_overwrite<std::byte[]>(limits::folder_buffer_bytes)) {}

SystemResult<std::optional<FolderReader::Entry>> FolderReader::next() {
  for (;;) {
    if (at_ == filled_) {
      const ssize_t got = ::getdents64(fd_, buffer_.get(), limits::folder_buffer_bytes);
      // A folder that was removed meanwhile has no entries any more.
      if (got == 0 || (got < 0 && errno == ENOENT)) return std::nullopt;
      if (got < 0) return std::unexpected(errno);
      at_ = 0;
      filled_ = static_cast<std::size_t>(got);
    }
    const auto* entry = reinterpret_cast<const dirent64*>(buffer_.get() + at_);
    at_ += entry->d_reclen;
    position_ = entry->d_off;
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    return Entry{.name = entry->d_name, .kind = kind_of(entry->d_type)};
  }
}

SystemResult<> FolderReader::rewind() {
  return seek(0);
}

SystemResult<> FolderReader::seek(std::int64_t position) {
  if (::lseek(fd_, position, SEEK_SET) < 0) return std::unexpected(errno);
  at_ = filled_ = 0;
  position_ = position;
  return {};
}

}  // namespace outpost::os
