#include "local/files/environment_config.h"

#include "base/limits/configuration.h"
#include "files_fixture.h"
#include "wire/codec.h"
#include "wire/path_uri.h"

namespace outpost::local {
namespace {

using namespace testing;
using Paths = std::vector<wire::KeyPath>;

class EnvironmentConfigTest : public FilesTest {
 protected:
  EnvironmentConfigTest()
      : places_{
            .system_folder = path("etc"), .home = path("home"), .codex_home = path("home/.codex"), .host_name = "vm"} {
    folder("repo/sub");
  }

  Result<wire::EnvironmentConfigResult> read(const Paths& config, const Paths& requirements = {},
                                             const std::string& cwd = "repo") const {
    wire::EnvironmentConfigParams params;
    params.cwd = {wire::uri_from_path(path(cwd))};
    params.config_paths = config;
    params.requirements_paths = requirements;
    return read_environment_config(params, places_, stop_.get_token());
  }
  /// `source: toml` of each layer, the folder of the test as `@`.
  std::vector<std::string> layers(const Paths& config, const std::string& cwd = "repo") const {
    const auto result = read(config, {}, cwd);
    if (!result) return {result.error().message};
    std::vector<std::string> found;
    for (const wire::ConfigLayer& layer : result->config.layers) {
      std::string text = layer.source + ": " + layer.toml;
      text.replace(text.find(folder_), folder_.size(), "@");
      found.push_back(text);
    }
    return found;
  }
  void trust(const std::string& name, const std::string& level = "trusted") const {
    put("home/.codex/config.toml",
        "model = \"u\"\n[projects.\"" + path(name) + "\"]\ntrust_level = \"" + level + "\"\n");
  }

  ConfigPlaces places_;
};

TEST_F(EnvironmentConfigTest, WithoutAnyFileTheLayersAreEmpty) {
  const auto result = read({{"mcp_servers"}}, {{"mcp_servers"}});
  ASSERT_TRUE(result);
  std::string json;
  wire::encode(json, *result);
  const std::string home = wire::uri_from_path(path("home"));
  EXPECT_EQ(json, R"({"userHomeDir":")" + home + R"(","codexHomeDir":")" + home +
                      R"(/.codex","hostname":"vm","config":{"layers":[],"cloudInsertionIndex":0},)"
                      R"("requirements":{"layers":[],"cloudInsertionIndex":0}})");
}

TEST_F(EnvironmentConfigTest, HomeAndHostMayBeUnknown) {
  places_.home.clear();
  places_.host_name.clear();
  std::string json;
  wire::encode(json, *read({{"a"}}));
  EXPECT_TRUE(json.starts_with(R"({"userHomeDir":null,)")) << json;
  EXPECT_TRUE(json.contains(R"("hostname":null,)")) << json;
}

TEST_F(EnvironmentConfigTest, LayersComeLowestFirst) {
  put("etc/config.toml", "model = \"s\"\nsecret = 1\n");
  put("etc/managed_config.toml", "model = \"m\"\n");
  put("etc/requirements.toml", "model = \"r\"\n");
  trust("repo");
  put("repo/.git/HEAD");
  put("repo/.codex/config.toml", "model = \"p\"\n");
  put("repo/sub/.codex/config.toml", "model = \"q\"\n");
  EXPECT_EQ(layers({{"model"}}, "repo/sub"),
            (std::vector<std::string>{"system (@/etc/config.toml): model = \"s\"\n",
                                      "user (@/home/.codex/config.toml): model = \"u\"\n",
                                      "project (@/repo/.codex/config.toml): model = \"p\"\n",
                                      "project (@/repo/sub/.codex/config.toml): model = \"q\"\n",
                                      "legacy managed_config.toml (@/etc/managed_config.toml): model = \"m\"\n"}));
  const auto result = read({{"model"}}, {{"model"}}, "repo/sub");
  EXPECT_EQ(result->config.cloud_insertion_index, 1u);
  EXPECT_EQ(result->config.layers[2].base_dir.text, wire::uri_from_path(path("repo/.codex")));
  ASSERT_EQ(result->requirements.layers.size(), 1u);
  EXPECT_EQ(result->requirements.layers[0].source, path("etc/requirements.toml"));
  EXPECT_EQ(result->requirements.layers[0].toml, "model = \"r\"\n");
  EXPECT_EQ(result->requirements.cloud_insertion_index, 1u);
  EXPECT_EQ(read({{"nope"}}, {})->config.cloud_insertion_index, 0u) << "a layer of which nothing is left is left out";
}

TEST_F(EnvironmentConfigTest, FilesAreReadAnewAtEachCall) {
  put("home/.codex/config.toml", "model = \"1\"\n");
  EXPECT_EQ(layers({{"model"}}), std::vector<std::string>{"user (@/home/.codex/config.toml): model = \"1\"\n"});
  put("home/.codex/config.toml", "model = \"2\"\n");
  EXPECT_EQ(layers({{"model"}}), std::vector<std::string>{"user (@/home/.codex/config.toml): model = \"2\"\n"});
}

TEST_F(EnvironmentConfigTest, ProjectsCountOnlyWhenTrusted) {
  put("repo/.codex/config.toml", "model = \"p\"\n");
  put("repo/sub/.codex/config.toml", "model = \"q\"\n");
  folder("repo/.git");
  const auto count = [&](const std::string& cwd) { return layers({{"model"}}, cwd).size() - 1; };
  put("home/.codex/config.toml", "model = \"u\"\n");
  EXPECT_EQ(count("repo"), 0u);
  trust("repo", "untrusted");
  EXPECT_EQ(count("repo"), 0u);
  trust("repo");
  EXPECT_EQ(count("repo"), 1u);
  EXPECT_EQ(count("repo/sub"), 0u) << "an empty folder named .git makes no repository";
  put("repo/.git/HEAD");
  EXPECT_EQ(count("repo/sub"), 2u);
  EXPECT_EQ(count("repo/missing/deep"), 1u) << "the cwd need not exist";
  trust("repo/sub");
  EXPECT_EQ(count("repo/sub"), 1u) << "each folder by itself";
  EXPECT_EQ(count("repo"), 0u);
  put("home/.codex/config.toml", "model = \"u\"\n[projects.\"" + path("repo") + "\"]\ntrust_level = \"trusted\"\n" +
                                     "[projects.\"" + path("repo/sub") + "\"]\ntrust_level = \"untrusted\"\n");
  EXPECT_EQ(count("repo/sub"), 1u);
}

TEST_F(EnvironmentConfigTest, AProjectGivesOnlyKeysThatRedirectNothing) {
  trust("repo");
  put("repo/.git/HEAD");
  put("repo/.codex/config.toml",
      "openai_base_url = \"http://evil\"\nmodel_provider = \"e\"\n[mcp_servers.a]\nurl = \"x\"\n");
  EXPECT_EQ(layers({{"openai_base_url"}, {"model_provider"}, {"mcp_servers"}}),
            std::vector<std::string>{"project (@/repo/.codex/config.toml): [mcp_servers.a]\nurl = \"x\"\n"});
}

TEST_F(EnvironmentConfigTest, TheHomeFolderIsNoProjectOfItsOwn) {
  put("home/.codex/config.toml", "model = \"u\"\n[projects.\"" + path("home") + "\"]\ntrust_level = \"trusted\"\n");
  EXPECT_EQ(layers({{"model"}}, "home").size(), 1u);
}

TEST_F(EnvironmentConfigTest, FilesThatAreNoTomlAreNamed) {
  put("home/.codex/config.toml", "a = = 1\n");
  const auto result = read({{"a"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::io);
  EXPECT_TRUE(result.error().message.starts_with(
      "failed to load executor-local config: " + path("home/.codex/config.toml") + ":1:5: "))
      << result.error().message;
  trust("repo");
  put("repo/.git/HEAD");
  put("repo/.codex/config.toml", "b = [1,\n");
  EXPECT_TRUE(read({{"model"}})
                  .error()
                  .message.starts_with("failed to load executor-local config: Error parsing project config file " +
                                       path("repo/.codex/config.toml") + ": "));
}

TEST_F(EnvironmentConfigTest, FilesThatAreNoFilesNeverHoldItUp) {
  folder("home/.codex/config.toml");
  const std::string user = path("home/.codex/config.toml");
  expect_failed(read({{"a"}}), ErrorKind::io,
                "failed to load executor-local config: Failed to read config file " + user + ": path `" + user +
                    "` is not a file");
  fs::remove(user);
  fifo("home/.codex/config.toml");
  expect_failed(read({{"a"}}), ErrorKind::io, "` is not a file");
  fs::remove(user);
  put("home/.codex/config.toml", "a = \"" + std::string(limits::config_file_bytes_max - 7, 'x') + "\"\n");
  expect_failed(read({{"a"}}), ErrorKind::io, "environment config response exceeds 1048576 bytes");
  put("home/.codex/config.toml", "#" + std::string(limits::config_file_bytes_max, 'x'));
  expect_failed(read({{"a"}}), ErrorKind::io, "file is too large: limit is 1048576 bytes");
}

TEST_F(EnvironmentConfigTest, ChecksOfTheParams) {
  const auto refused = [&](const Paths& config, const std::string& text) {
    expect_failed(read(config), ErrorKind::invalid_params, text);
  };
  refused({}, "at least one config or requirements path is required");
  refused({{"a"}, {}}, "TOML paths must contain at least one key segment");
  EXPECT_TRUE(read(Paths(32, {"a"}), Paths(32, {"a"})));
  expect_failed(read(Paths(32, {"a"}), Paths(33, {"a"})), ErrorKind::invalid_params,
                "at most 64 TOML paths may be requested");
  EXPECT_TRUE(read({wire::KeyPath(32, "k")}));
  refused({wire::KeyPath(33, "k")}, "at most 32 key segments may be in one TOML path");
  EXPECT_TRUE(read({{std::string(65535, 'k'), "x"}}));
  refused({{std::string(65535, 'k'), "xy"}}, "at most 65536 bytes may be in all TOML paths");
  wire::EnvironmentConfigParams foreign;
  foreign.cwd = {"file:///C:/x"};
  expect_failed(read_environment_config(foreign, places_, {}), ErrorKind::invalid_params,
                "'file:///C:/x' is invalid on 'linux'");
}

TEST_F(EnvironmentConfigTest, AStopEndsIt) {
  stop_.request_stop();
  expect_failed(read({{"a"}}), ErrorKind::cancelled, "request cancelled");
}

TEST(ConfigPlaces, FollowTheEnvironment) {
  const ConfigPlaces places = config_places();
  EXPECT_EQ(places.system_folder, "/etc/codex");
  EXPECT_TRUE(places.codex_home.starts_with('/')) << places.codex_home;
}

}  // namespace
}  // namespace outpost::local
