#include "os/file_attributes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace outpost::os {

namespace {

SystemResult<> outcome(int result) {
  if (result != 0) return std::unexpected(errno);
  return {};
}

int flags_of(Links links) {
  return links == Links::follow ? 0 : AT_SYMLINK_NOFOLLOW;
}

/// The text of a call that fills a buffer; asked for its size first, and again if it grew meanwhile.
template <class Call>
SystemResult<std::string> sized_text(Call call) {
  std::string text;
  for (;;) {
    const ssize_t size = call(nullptr, 0);
    if (size < 0) return std::unexpected(errno);
    text.resize(static_cast<std::size_t>(size));
    if (size == 0) return text;
    const ssize_t got = call(text.data(), text.size());
    if (got < 0 && errno == ERANGE) continue;
    if (got < 0) return std::unexpected(errno);
    text.resize(static_cast<std::size_t>(got));
    return text;
  }
}

}  // namespace

SystemResult<> set_mode(int fd, unsigned mode) {
  return outcome(::fchmod(fd, static_cast<mode_t>(mode)));
}

SystemResult<> set_mode_at(int folder, const char* name, unsigned mode, Links links) {
  return outcome(::fchmodat(folder, name, static_cast<mode_t>(mode), flags_of(links)));
}

SystemResult<> set_owner(int fd, std::uint32_t user, std::uint32_t group) {
  return outcome(::fchown(fd, user, group));
}

SystemResult<> set_modified_at(int folder, const char* name, std::int64_t milliseconds, Links links) {
  std::int64_t seconds = milliseconds / 1000;
  std::int64_t rest = milliseconds % 1000;
  if (rest < 0) {
    --seconds;
    rest += 1000;
  }
  const std::array<timespec, 2> times{
      {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = static_cast<long>(rest * 1'000'000)}}};
  return outcome(::utimensat(folder, name, times.data(), flags_of(links)));
}

int write_access_at(int folder, const char* name) {
  return ::faccessat(folder, name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

SystemResult<std::vector<std::string>> attribute_names(int fd) {
  const auto text = sized_text([&](char* into, std::size_t size) { return ::flistxattr(fd, into, size); });
  std::vector<std::string> names;
  if (!text) {
    if (text.error() == ENOTSUP) return names;
    return std::unexpected(text.error());
  }
  for (std::size_t at = 0; at < text->size();) {
    names.emplace_back(text->c_str() + at);
    at += names.back().size() + 1;
  }
  return names;
}

SystemResult<std::string> attribute(int fd, const char* name) {
  return sized_text([&](char* into, std::size_t size) { return ::fgetxattr(fd, name, into, size); });
}

SystemResult<> set_attribute(int fd, const char* name, const std::string& value) {
  return outcome(::fsetxattr(fd, name, value.data(), value.size(), 0));
}

}  // namespace outpost::os
