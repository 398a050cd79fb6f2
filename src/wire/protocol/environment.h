#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/fields.h"

/// What a machine is and can do (processes-and-sessions 2.1; extensions 2).
namespace outpost::wire {

struct ShellInfo {
  std::string name;  ///< `bash`, `zsh`, `sh`, …
  std::string path;  ///< in the machine's own notation
};
BOOST_DESCRIBE_STRUCT(ShellInfo, (), (name, path))

using Capability = Defaulted<bool, false>;

/// Always all of them when written; an absent one reads as false.
struct Capabilities {
  Capability network_proxy_launch;
  Capability network_proxy_review_domains;
  Capability network_proxy_transparent_tcp;
  Capability credential_masking;
  Capability credential_masking_custom_providers;
  Capability capability_discovery_sandbox;
  Capability fs_watch_missing;
  Capability capability_discovery_v2;
  Capability environment_config_read;
  Capability http_header_env_vars;
  Capability sandboxed_file_streaming;
  Capability file_write_streaming;
  Capability shell_snapshot_v2;
  Capability windows_mxc;
  Capability linux_root_write_preserves_devices;
  Capability linux_approved_root_write_preserves_restrictions;
};
BOOST_DESCRIBE_STRUCT(Capabilities, (),
                      (network_proxy_launch, network_proxy_review_domains, network_proxy_transparent_tcp,
                       credential_masking, credential_masking_custom_providers, capability_discovery_sandbox,
                       fs_watch_missing, capability_discovery_v2, environment_config_read, http_header_env_vars,
                       sandboxed_file_streaming, file_write_streaming, shell_snapshot_v2, windows_mxc,
                       linux_root_write_preserves_devices, linux_approved_root_write_preserves_restrictions))

struct SandboxAnnouncement {
  std::string backend;                ///< `bubblewrap`, `landlock` or `none`
  std::vector<std::string> enforces;  ///< sorted
  Nullable<std::string> reason;       ///< why something is missing
};
BOOST_DESCRIBE_STRUCT(SandboxAnnouncement, (), (backend, enforces, reason))

struct AnnouncedLimits {
  std::uint64_t retention_ms = 0;
  std::uint64_t retain_bytes = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t in_flight = 0;
};
BOOST_DESCRIBE_STRUCT(AnnouncedLimits, (), (retention_ms, retain_bytes, message_bytes, in_flight))

/// What an Outpost server adds: clients use only what `features` names (extensions 1.4).
struct Announcement {
  std::uint32_t version = 1;
  std::vector<std::string> features;  ///< sorted
  std::string containment;            ///< `cgroup`, `subreaper` or `group`
  SandboxAnnouncement sandbox;
  AnnouncedLimits limits;
};
BOOST_DESCRIBE_STRUCT(Announcement, (), (version, features, containment, sandbox, limits))

struct EnvironmentInfo {
  ShellInfo shell;
  std::optional<std::string> executor_version;  ///< absent reads as `0.0.0`
  std::optional<std::string> provider_id;       ///< `sha256:` and 64 hex digits
  std::optional<PathUri> cwd;
  std::optional<PathUri> user_home_dir;
  std::optional<std::string> platform_os;  ///< `linux`, `macos`, `windows`
  std::optional<std::vector<PathUri>> prepend_path_dirs;
  std::optional<std::vector<PathUri>> temporary_directories;
  std::optional<PathUri> temp_dir;
  std::optional<Capabilities> capabilities;
  std::optional<Announcement> outpost;
};
BOOST_DESCRIBE_STRUCT(EnvironmentInfo, (),
                      (shell, executor_version, provider_id, cwd, user_home_dir, platform_os, prepend_path_dirs,
                       temporary_directories, temp_dir, capabilities, outpost))

struct EnvironmentStatus {
  std::string status;  ///< `ready`
};
BOOST_DESCRIBE_STRUCT(EnvironmentStatus, (), (status))

}  // namespace outpost::wire
