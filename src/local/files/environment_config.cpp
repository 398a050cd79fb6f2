#include "local/files/environment_config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/limits/configuration.h"
#include "base/utf8.h"
#include "local/files/file_error.h"
#include "local/files/open_file.h"
#include "local/files/toml_document.h"
#include "os/file_contents.h"
#include "os/file_status.h"
#include "os/machine.h"
#include "wire/codec.h"
#include "wire/path_uri.h"

namespace outpost::local {

namespace {

/// Of a project's file only these (environment-config 1): others could send credentials elsewhere.
constexpr std::array<std::string_view, 6> project_keys = {"mcp_servers",
                                                          "model",
                                                          "sandbox_mode",
                                                          "approval_policy",
                                                          "shell_environment_policy",
                                                          "project_doc_fallback_filenames"};

Error load_failure(const std::string& why) {
  return {ErrorKind::io, "failed to load executor-local config: " + why};
}

std::string for_people(const std::string& path) {
  return to_utf8_lossy(as_bytes(path));
}

std::string environment_folder(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : "";
}

bool is_there(const std::string& path) {
  return os::target_status_at(AT_FDCWD, path.c_str()).has_value();
}

Result<std::string> whole_text(const os::FileDescriptor& file) {
  std::string text;
  Bytes part(64 * limits::kib);
  for (;;) {
    const os::IoCount got = os::read_some_at(file.get(), part.whole(), text.size());
    if (got.status == os::IoCount::end) return text;
    if (got.status != os::IoCount::ok) return fail(file_error(got.error != 0 ? got.error : EAGAIN));
    text += as_text(part.view().first(got.bytes));
    if (text.size() > limits::config_file_bytes_max) {
      return fail(ErrorKind::io,
                  "file is too large: limit is " + std::to_string(limits::config_file_bytes_max) + " bytes");
    }
  }
}

/// None if the file isn't there.
Result<std::optional<std::string>> text_of(const std::string& path) {
  const auto failure = [&](const Error& error) {
    return fail(load_failure("Failed to read config file " + for_people(path) + ": " + for_people(error.message)));
  };
  const Result<os::FileDescriptor> file = open_regular_file(path, true);
  if (!file) {
    const bool missing = file.error().kind == ErrorKind::not_found || file.error().message == os_error_text(ENOTDIR);
    if (missing) return std::nullopt;
    return failure(file.error());
  }
  Result<std::string> text = whole_text(*file);
  if (!text) return failure(text.error());
  return *std::move(text);
}

enum class Owner { machine, project };

/// None if the file isn't there.
Result<std::optional<TomlDocument>> document_of(const std::string& path, Owner owner) {
  const auto text = OUTPOST_TRY(text_of(path));
  if (!text) return std::nullopt;
  Result<TomlDocument> document = TomlDocument::parse(*text);
  if (document) return *std::move(document);
  if (owner == Owner::machine) return fail(load_failure(for_people(path) + ":" + document.error().message));
  return fail(load_failure("Error parsing project config file " + for_people(path) + ": " + document.error().message));
}

std::string folder_of(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

Result<> check_paths(const wire::EnvironmentConfigParams& params) {
  const auto refused = [](const std::string& text) { return fail(ErrorKind::invalid_params, text); };
  const std::size_t count = params.config_paths.size() + params.requirements_paths.size();
  if (count == 0) return refused("at least one config or requirements path is required");
  if (count > limits::config_paths_max) {
    return refused("at most " + std::to_string(limits::config_paths_max) + " TOML paths may be requested");
  }
  std::size_t bytes = 0;
  for (const auto* paths : {&params.config_paths, &params.requirements_paths}) {
    for (const wire::KeyPath& path : *paths) {
      if (path.empty()) return refused("TOML paths must contain at least one key segment");
      if (path.size() > limits::config_path_keys_max) {
        return refused("at most " + std::to_string(limits::config_path_keys_max) +
                       " key segments may be in one TOML path");
      }
      for (const std::string& key : path) bytes += key.size();
    }
  }
  if (bytes > limits::config_path_bytes_max) {
    return refused("at most " + std::to_string(limits::config_path_bytes_max) + " bytes may be in all TOML paths");
  }
  return {};
}

class ConfigReading {
 public:
  ConfigReading(const wire::EnvironmentConfigParams& params, const ConfigPlaces& places, std::string cwd,
                const std::stop_token& stop)
      : params_(params), places_(places), cwd_(std::move(cwd)), stop_(stop) {}

  Result<wire::EnvironmentConfigResult> run() {
    if (!places_.home.empty()) result_.user_home_dir = wire::PathUri{wire::uri_from_path(places_.home)};
    result_.codex_home_dir = {wire::uri_from_path(places_.codex_home)};
    if (!places_.host_name.empty()) result_.hostname = for_people(places_.host_name);
    OUTPOST_CHECK_OK(read_config());
    const std::string requirements = places_.system_folder + "/requirements.toml";
    const auto document = OUTPOST_TRY(next_document(requirements, Owner::machine));
    if (document)
      add(result_.requirements, for_people(requirements), requirements, *document, params_.requirements_paths);
    result_.requirements.cloud_insertion_index = result_.requirements.layers.size();
    std::string json;
    wire::encode(json, result_);
    if (json.size() <= limits::config_answer_bytes_max) return std::move(result_);
    return fail(ErrorKind::io,
                "environment config response exceeds " + std::to_string(limits::config_answer_bytes_max) + " bytes");
  }

 private:
  Result<std::optional<TomlDocument>> next_document(const std::string& path, Owner owner) {
    if (stop_.stop_requested()) return fail(request_cancelled());
    return document_of(path, owner);
  }

  Result<> read_config() {
    const std::string system = places_.system_folder + "/config.toml";
    const auto system_document = OUTPOST_TRY(next_document(system, Owner::machine));
    if (system_document) add_config("system", system, *system_document, params_.config_paths);
    result_.config.cloud_insertion_index = result_.config.layers.size();
    const std::string user = places_.codex_home + "/config.toml";
    const auto user_document = OUTPOST_TRY(next_document(user, Owner::machine));
    if (user_document) {
      add_config("user", user, *user_document, params_.config_paths);
      OUTPOST_CHECK_OK(read_project(*user_document));
    }
    const std::string managed = places_.system_folder + "/managed_config.toml";
    const auto managed_document = OUTPOST_TRY(next_document(managed, Owner::machine));
    if (managed_document) add_config("legacy managed_config.toml", managed, *managed_document, params_.config_paths);
    return {};
  }

  Result<> read_project(const TomlDocument& user) {
    std::vector<wire::KeyPath> paths = params_.config_paths;
    std::erase_if(paths, [](const wire::KeyPath& path) {
      return std::ranges::find(project_keys, path.front()) == project_keys.end();
    });
    const std::string root = project_root();
    if (paths.empty()) return {};
    const bool root_trusted = trust_level(user, root) == "trusted";
    std::vector<std::string> folders;  // innermost first
    for (std::string at = cwd_;; at = folder_of(at)) {
      // What is said of a folder itself counts before what is said of the root.
      const auto own = trust_level(user, at);
      if (own ? *own == "trusted" : root_trusted) folders.push_back(at);
      if (at == root) break;
    }
    for (; !folders.empty(); folders.pop_back()) {
      const std::string folder = (folders.back() == "/" ? "" : folders.back()) + "/.codex";
      if (folder == places_.codex_home) continue;  // read already, as the user's
      const auto document = OUTPOST_TRY(next_document(folder + "/config.toml", Owner::project));
      if (document) add_config("project", folder + "/config.toml", *document, paths);
    }
    return {};
  }

  /// The nearest repository at or above the cwd; without one the cwd.
  std::string project_root() const {
    for (std::string at = cwd_;; at = folder_of(at)) {
      if (is_repository(at)) return at;
      if (at == "/") return cwd_;
    }
  }

  static std::optional<std::string> trust_level(const TomlDocument& user, const std::string& folder) {
    return user.text_at({"projects", folder, "trust_level"});
  }

  /// An empty folder named `.git` makes none.
  static bool is_repository(const std::string& folder) {
    const auto git = os::target_status_at(AT_FDCWD, (folder + "/.git").c_str());
    return git && (S_ISREG(git->stx_mode) || is_there(folder + "/.git/HEAD"));
  }

  void add_config(const std::string& kind, const std::string& path, const TomlDocument& document,
                  const std::vector<wire::KeyPath>& paths) {
    add(result_.config, kind + " (" + for_people(path) + ")", path, document, paths);
  }

  static void add(wire::ConfigLayers& layers, std::string source, const std::string& path, const TomlDocument& document,
                  const std::vector<wire::KeyPath>& paths) {
    std::string toml = document.cut(paths);
    if (toml.empty()) return;
    layers.layers.push_back(
        {.source = std::move(source), .base_dir = {wire::uri_from_path(folder_of(path))}, .toml = std::move(toml)});
  }

  const wire::EnvironmentConfigParams& params_;
  const ConfigPlaces& places_;
  const std::string cwd_;
  const std::stop_token& stop_;
  wire::EnvironmentConfigResult result_;
};

}  // namespace

ConfigPlaces config_places() {
  ConfigPlaces places;
  places.home = environment_folder("HOME");
  if (places.home.empty()) places.home = os::current_user().value_or(os::UserEntry{}).home;
  places.codex_home = environment_folder("CODEX_HOME");
  if (places.codex_home.empty()) places.codex_home = places.home + "/.codex";
  places.host_name = os::host_name();
  return places;
}

Result<wire::EnvironmentConfigResult> read_environment_config(const wire::EnvironmentConfigParams& params,
                                                              const ConfigPlaces& places, const std::stop_token& stop) {
  const Result<std::string> cwd = wire::path_from_uri(params.cwd.text);
  if (!cwd) return fail(ErrorKind::invalid_params, cwd.error().message);
  OUTPOST_CHECK_OK(check_paths(params));
  return ConfigReading(params, places, *cwd, stop).run();
}

}  // namespace outpost::local
