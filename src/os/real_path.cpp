#include "os/real_path.h"

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace outpost::os {

SystemResult<std::string> real_path(const char* path) {
  const std::unique_ptr<char, decltype(&::free)> found(::realpath(path, nullptr), &::free);
  if (!found) return std::unexpected(errno);
  return std::string(found.get());
}

}  // namespace outpost::os
