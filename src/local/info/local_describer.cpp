#include "local/info/local_describer.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/hex.h"
#include "base/limits/connections.h"
#include "base/limits/messages.h"
#include "crypto/digest.h"
#include "os/machine.h"
#include "wire/path_uri.h"

namespace outpost::local {

namespace {

// Clients decide by this what the other side can do, so it names the protocol version that we speak, not our own.
constexpr std::string_view protocol_version = "0.171.0";

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// A folder named by the environment; empty unless it is an absolute path, the only kind that has a URI.
std::string environment_folder(const char* name) {
  const std::string folder = environment_text(name);
  return folder.starts_with('/') ? folder : "";
}

wire::PathUri uri(const std::string& path) {
  return {wire::uri_from_path(path)};
}

wire::ShellInfo shell_of(const std::string& login_shell) {
  constexpr std::array<std::string_view, 3> known = {"bash", "zsh", "sh"};
  const std::string name = login_shell.substr(login_shell.rfind('/') + 1);
  if (std::ranges::find(known, name) != known.end() && ::access(login_shell.c_str(), X_OK) == 0)
    return {name, login_shell};
  if (::access("/bin/bash", X_OK) == 0) return {"bash", "/bin/bash"};
  return {"sh", "/bin/sh"};
}

/// Finds the build id that the linker put into the running program.
int find_build_id(dl_phdr_info* info, std::size_t, void* into) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const std::byte*>(info->dlpi_addr + segment.p_vaddr);
    const auto* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const auto* name = at + sizeof note;
      const auto* value = name + ((note.n_namesz + 3U) & ~3U);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        *static_cast<ByteView*>(into) = {value, note.n_descsz};
        return 1;
      }
      at = value + ((note.n_descsz + 3U) & ~3U);
    }
  }
  return 1;  // the first object is the program itself
}

wire::Announcement announcement(const DescribedServer& server) {
  wire::Announcement ours;
  ours.features = {"cancel",           "fs.digest",      "fs.readDirectoryFull", "fs.rename",     "fs.setMetadata",
                   "fs.update",        "fs.write",       "process.closeStdin",   "process.grace", "process.list",
                   "process.onDetach", "process.retain", "process.signal",       "process.size",  "process.timeout",
                   "process.view",     "receipts",       "session.attach",       "session.end",   "session.list",
                   "session.retention"};
  ours.containment = server.containment;
  ours.sandbox = {.backend = "none", .enforces = {}, .reason = "this version has no sandbox"};
  ours.limits = {.retention_ms = server.retention_ms,
                 .retain_bytes = server.retain_bytes,
                 .message_bytes = limits::message_bytes_max,
                 .in_flight = limits::requests_in_flight_max};
  return ours;
}

}  // namespace

std::string provider_id() {
  ByteView build_id;
  ::dl_iterate_phdr(find_build_id, &build_id);
  if (build_id.empty()) build_id = as_bytes("outpost " OUTPOST_VERSION);
  return "sha256:" + to_hex(crypto::sha256(build_id));
}

wire::EnvironmentInfo describe_this_machine(const DescribedServer& server) {
  const os::UserEntry user = os::current_user().value_or(os::UserEntry{});
  std::string home = environment_folder("HOME");
  if (home.empty()) home = user.home.starts_with('/') ? user.home : "/";
  const std::string temporary = environment_folder("TMPDIR");

  wire::EnvironmentInfo info;
  info.shell = shell_of(user.shell);
  info.executor_version = protocol_version;
  info.provider_id = provider_id();
  info.cwd = uri(os::current_directory().value_or("/"));
  info.user_home_dir = uri(home);
  info.platform_os = "linux";
  info.temporary_directories = std::vector<wire::PathUri>{};
  if (!temporary.empty()) info.temporary_directories->push_back(uri(temporary));
  info.temp_dir = uri(temporary.empty() ? "/tmp" : temporary);
  wire::Capabilities& capabilities = info.capabilities.emplace();
  capabilities.fs_watch_missing = true;
  capabilities.environment_config_read = server.environment_config;
  capabilities.file_write_streaming = true;
  info.outpost = announcement(server);
  return info;
}

}  // namespace outpost::local
