#include "os/machine.h"

#include <nss.h>
#include <pwd.h>
#include <unistd.h>
#include <climits>

#include <cerrno>
#include <memory>
#include <vector>

#include "base/limits/system.h"

namespace outpost::os {

std::optional<UserEntry> current_user() {
  std::vector<char> buffer(1 * limits::kib);
  passwd entry{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found)) == ERANGE &&
         buffer.size() < limits::password_entry_bytes_max) {
    buffer.resize(buffer.size() * 2);
  }
  if (error != 0 || found == nullptr) return std::nullopt;
  const auto text = [](const char* field) { return std::string(field != nullptr ? field : ""); };
  return UserEntry{text(entry.pw_name), text(entry.pw_dir), text(entry.pw_shell)};
}

Result<std::string> current_directory() {
  // With a null buffer glibc makes one as long as the path; paths may be longer than PATH_MAX.
  const std::unique_ptr<char, decltype(&::free)> path(::getcwd(nullptr, 0), &::free);
  if (!path) return fail(ErrorKind::io, os_error_text(errno));
  return std::string(path.get());
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  if (::gethostname(name, sizeof name) != 0) return {};
  name[HOST_NAME_MAX] = '\0';
  return name;
}

void configure_name_services() {
#ifdef OUTPOST_STATIC_EXECUTABLE
  ::__nss_configure_lookup("passwd", "files");
  ::__nss_configure_lookup("hosts", "files dns");
#endif
}

}  // namespace outpost::os
