#include "os/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "base/limits/system.h"
#include "os/files.h"
#include "os/trial.h"

namespace outpost::os {
namespace {

constexpr mode_t folder_mode = 0755;

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

/// mountinfo writes blanks and backslashes of paths as \040 and the like.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) { return static_cast<unsigned>(text[i + at] - '0'); };
    if (text[i] == '\\' && i + 3 < text.size() && digit(1) < 4 && digit(2) < 8 && digit(3) < 8) {
      out += static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Mount {
  std::string root;   ///< which part of the hierarchy is mounted
  std::string point;  ///< where
};

/// The first cgroup v2 mount: `ID PARENT DEVICE ROOT POINT OPTIONS [OPTIONAL…] - TYPE SOURCE …`.
std::unique_ptr<Mount> find_mount(std::string_view mounts) {
  while (!mounts.empty()) {
    const std::vector<std::string_view> words = words_of(next_line(mounts));
    for (std::size_t i = 5; i + 1 < words.size(); ++i) {
      if (words[i] != "-") continue;
      if (words[i + 1] != "cgroup2") break;
      return std::make_unique<Mount>(Mount{unescaped(words[3]), unescaped(words[4])});
    }
  }
  return nullptr;
}

std::string group_name(std::uint64_t group) {
  return "s" + std::to_string(group);
}
std::string member_name(std::uint64_t group, std::uint64_t member) {
  return group_name(group) + "/p" + std::to_string(member);
}

bool write_text(int folder, const std::string& name, std::string_view text) {
  const FileDescriptor file(::openat(folder, name.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool make_folder(int folder, const std::string& name) {
  return ::mkdirat(folder, name.c_str(), folder_mode) == 0 || errno == EEXIST;
}

bool remove_folder(int folder, const std::string& name) {
  return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
}

/// 0 if a child of ours may put itself into that cgroup, else errno. Folders may be made where processes may not be
/// moved: in a threaded cgroup, or where only the folder was given to this user.
int move_error(int folder) {
  const FileDescriptor procs(::openat(folder, "cgroup.procs", O_WRONLY | O_CLOEXEC));
  if (!procs) return errno;
  return error_in_child([&] { return ::write(procs.get(), "0", 1) == 1 ? 0 : errno; });
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// A cgroup folder can be removed once the folders in it are; its files don't count.
bool remove_with_children(int folder, const std::string& name) {
  if (remove_folder(folder, name)) return true;
  const int fd = ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseFolder> inside(fd >= 0 ? ::fdopendir(fd) : nullptr);
  if (!inside) return false;
  while (const dirent* item = ::readdir(inside.get())) {
    if (item->d_type != DT_DIR || item->d_name[0] == '.') continue;
    if (!remove_with_children(::dirfd(inside.get()), item->d_name)) return false;
  }
  return remove_folder(folder, name);
}

}  // namespace

std::string cgroup_folder_of(std::string_view memberships, std::string_view mounts) {
  const auto mount = find_mount(mounts);
  if (!mount) return {};
  while (!memberships.empty()) {
    std::string_view line = next_line(memberships);
    if (!line.starts_with("0::")) continue;
    line.remove_prefix(3);
    // In a container without a cgroup namespace only a part of the hierarchy may be mounted, and we outside of it.
    if (mount->root != "/") {
      if (!line.starts_with(mount->root)) return {};
      line.remove_prefix(mount->root.size());
    }
    if (line.starts_with("/..")) return {};
    return mount->point + (line == "/" ? "" : std::string(line));
  }
  return {};
}

Result<std::string> own_cgroup() {
  const std::string memberships = OUTPOST_TRY(read_small_file("/proc/self/cgroup"));
  const std::string mounts = OUTPOST_TRY(read_small_file("/proc/self/mountinfo"));
  std::string folder = cgroup_folder_of(memberships, mounts);
  if (folder.empty()) return fail(ErrorKind::io, "no cgroup v2 is mounted here");
  return folder;
}

Result<CgroupFolder> CgroupFolder::make(const std::string& parent, const std::string& name) {
  std::string path = parent + "/" + name;
  // What is there already is somebody else's and stays.
  if (::mkdir(path.c_str(), folder_mode) != 0) return fail(ErrorKind::io, os_error_text(errno));
  const auto failed = [&] {
    const int error = errno;
    ::rmdir(path.c_str());
    return fail(ErrorKind::io, os_error_text(error));
  };
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return failed();
  // Not there before Linux 5.14; harmless in an empty one.
  if (!write_text(folder.get(), "cgroup.kill", "1")) return failed();
  errno = move_error(folder.get());
  if (errno != 0) return failed();
  return CgroupFolder(std::move(path), std::move(folder));
}

Result<FileDescriptor> CgroupFolder::add(std::uint64_t group, std::uint64_t member) {
  const std::string name = member_name(group, member);
  // The group is there but for the first member.
  if (::mkdirat(folder_.get(), name.c_str(), folder_mode) != 0) {
    if (errno != ENOENT || !make_folder(folder_.get(), group_name(group)) || !make_folder(folder_.get(), name)) {
      return fail(ErrorKind::io, os_error_text(errno));
    }
  }
  FileDescriptor file(::openat(folder_.get(), (name + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return fail(ErrorKind::io, os_error_text(errno));
  return file;
}

bool CgroupFolder::kill(std::uint64_t group, std::uint64_t member) const {
  return write_text(folder_.get(), member_name(group, member) + "/cgroup.kill", "1");
}

bool CgroupFolder::kill(std::uint64_t group) const {
  return write_text(folder_.get(), group_name(group) + "/cgroup.kill", "1");
}

bool CgroupFolder::remove(std::uint64_t group, std::uint64_t member) const {
  return remove_folder(folder_.get(), member_name(group, member));
}

bool CgroupFolder::remove(std::uint64_t group) const {
  return remove_with_children(folder_.get(), group_name(group));
}

void clear_cgroup(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return;
  write_text(AT_FDCWD, path + "/cgroup.kill", "1");
  const FileDescriptor events(::open((path + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
  const auto deadline = std::chrono::steady_clock::now() + limits::guard_clear_up_max;
  while (!remove_with_children(AT_FDCWD, path) && std::chrono::steady_clock::now() < deadline) {
    // The kernel tells when the last one is gone; looking again now and then costs nothing.
    pollfd waiting{.fd = events.get(), .events = POLLPRI, .revents = 0};
    ::poll(&waiting, 1, 10);
    char text[64];
    (void)::pread(events.get(), text, sizeof text, 0);  // else the next wait ends at once
  }
}

}  // namespace outpost::os
