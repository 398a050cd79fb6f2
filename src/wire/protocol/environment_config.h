#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "wire/fields.h"

/// `environmentConfig/read` (environment-config 1).
namespace outpost::wire {

/// Keys from the top of a document down to what is asked for; literal, no dots and no patterns in them.
using KeyPath = std::vector<std::string>;

struct EnvironmentConfigParams {
  PathUri cwd;  ///< need not exist
  std::vector<KeyPath> config_paths;
  std::vector<KeyPath> requirements_paths;
};
BOOST_DESCRIBE_STRUCT(EnvironmentConfigParams, (), (cwd, config_paths, requirements_paths))

struct ConfigLayer {
  std::string source;  ///< for people: what kind of file, and its path
  PathUri base_dir;    ///< what relative paths in it belong to
  std::string toml;    ///< only what was asked for, never empty
};
BOOST_DESCRIBE_STRUCT(ConfigLayer, (), (source, base_dir, toml))

struct ConfigLayers {
  std::vector<ConfigLayer> layers;  ///< lowest first
  std::uint64_t cloud_insertion_index = 0;
};
BOOST_DESCRIBE_STRUCT(ConfigLayers, (), (layers, cloud_insertion_index))

struct EnvironmentConfigResult {
  Nullable<PathUri> user_home_dir;
  PathUri codex_home_dir;
  Nullable<std::string> hostname;
  ConfigLayers config;
  ConfigLayers requirements;
};
BOOST_DESCRIBE_STRUCT(EnvironmentConfigResult, (), (user_home_dir, codex_home_dir, hostname, config, requirements))

}  // namespace outpost::wire
