#include "local/files/local_mounts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace outpost::local {

namespace {

// Sorted. Whatever isn't known may hang.
constexpr std::array<std::string_view, 22> disk_types = {
    "bcachefs", "btrfs", "devtmpfs", "erofs",   "ext2",  "ext3",   "ext4",     "exfat", "f2fs", "hfsplus", "iso9660",
    "jfs",      "msdos", "ntfs3",    "overlay", "ramfs", "rootfs", "squashfs", "tmpfs", "udf",  "vfat",    "xfs"};
constexpr std::array<std::string_view, 16> kernel_types = {
    "binfmt_misc", "bpf",       "cgroup", "cgroup2", "configfs", "debugfs", "devpts",     "efivarfs",
    "fusectl",     "hugetlbfs", "mqueue", "nsfs",    "proc",     "pstore",  "securityfs", "sysfs"};

bool is_in(const auto& types, std::string_view type) {
  return std::ranges::find(types, type) != types.end();
}

bool is_local_type(std::string_view type) {
  return is_in(disk_types, type) || is_in(kernel_types, type) || type == "tracefs" || type == "zfs";
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

void LocalMounts::refresh() {
  if (!watch_.changed() && !stale_) return;
  auto mounts = watch_.read();
  stale_ = !mounts;
  mounts_ = mounts ? *std::move(mounts) : std::vector<os::Mount>();
  all_local_ = !mounts_.empty() &&
               std::ranges::all_of(mounts_, [](const os::Mount& mount) { return is_local_type(mount.type); });
}

std::string_view LocalMounts::type_of(const std::vector<os::Mount>& mounts, std::string_view path) {
  const os::Mount* best = nullptr;
  for (const os::Mount& mount : mounts) {
    if (lies_in(path, mount.point) && (best == nullptr || mount.point.size() >= best->point.size())) best = &mount;
  }
  return best == nullptr ? std::string_view() : std::string_view(best->type);
}

bool LocalMounts::is_local(const std::string& path) {
  refresh();
  if (all_local_) return true;
  if (!is_local_type(type_of(mounts_, path))) return false;
  // A link might lead to one that isn't. What is missing is looked for in its folder.
  auto reached = os::reached_without_links(path.c_str());
  if (!reached) reached = os::reached_without_links(path.substr(0, std::max<std::size_t>(1, path.rfind('/'))).c_str());
  return reached.value_or(false);
}

bool LocalMounts::all_local() {
  refresh();
  return all_local_;
}

bool LocalMounts::tells_changes(const std::string& path) {
  refresh();
  const std::string_view type = type_of(mounts_, path);
  return is_in(disk_types, type) || type == "zfs";
}

}  // namespace outpost::local
