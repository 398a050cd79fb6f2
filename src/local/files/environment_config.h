#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "wire/protocol/environment_config.h"

namespace outpost::local {

/// Where the configuration of a machine lies.
struct ConfigPlaces {
  std::string system_folder = "/etc/codex";
  std::string home;        ///< of the user; empty: not known
  std::string codex_home;  ///< `$CODEX_HOME`, else `.codex` in the home folder
  std::string host_name;   ///< empty: not known
};
/// As the environment of this process and the password database say.
ConfigPlaces config_places();

/// environmentConfig/read (environment-config 1): the parts that were asked for of each file that is there, read anew.
/// Project files count only where the user's file trusts the project, and of them only keys that redirect nothing.
/// Contents may be secret: they are never logged. Any thread; blocks on a slow file system; ends by `stop` between two
/// files, with `cancelled`.
Result<wire::EnvironmentConfigResult> read_environment_config(const wire::EnvironmentConfigParams& params,
                                                              const ConfigPlaces& places, const std::stop_token& stop);

}  // namespace outpost::local
