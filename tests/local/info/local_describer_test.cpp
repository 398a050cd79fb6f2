#include "local/info/local_describer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/bytes.h"
#include "base/hex.h"
#include "crypto/digest.h"
#include "wire/path_uri.h"

namespace outpost::local {
namespace {

/// Sets one variable of this process for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    if (value != nullptr) {
      ::setenv(name, value, 1);
    } else {
      ::unsetenv(name);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(DescribeThisMachine, TellsFolderHomeAndTemporaryFolder) {
  const Variable home("HOME", "/home/some one");
  const Variable temporary("TMPDIR", "/var/tmp/");
  const wire::EnvironmentInfo info = describe_this_machine({});
  EXPECT_EQ(info.cwd->text, wire::uri_from_path(std::filesystem::current_path().string()));
  EXPECT_EQ(info.user_home_dir->text, "file:///home/some%20one");
  EXPECT_EQ(info.temp_dir->text, "file:///var/tmp");
  ASSERT_EQ(info.temporary_directories->size(), 1u);
  EXPECT_EQ(info.temporary_directories->front().text, "file:///var/tmp");
  EXPECT_EQ(info.platform_os, "linux");
}

TEST(DescribeThisMachine, WithoutVariablesHasTheUsualFolders) {
  const Variable home("HOME", nullptr);
  const Variable temporary("TMPDIR", nullptr);
  const wire::EnvironmentInfo info = describe_this_machine({});
  EXPECT_TRUE(info.user_home_dir->text.starts_with("file:///"));
  EXPECT_EQ(info.temp_dir->text, "file:///tmp");
  ASSERT_TRUE(info.temporary_directories);
  EXPECT_TRUE(info.temporary_directories->empty());
}

TEST(DescribeThisMachine, TakesRelativeFoldersForNone) {
  const Variable home("HOME", "relative");
  const Variable temporary("TMPDIR", "also/relative");
  const wire::EnvironmentInfo info = describe_this_machine({});
  EXPECT_TRUE(info.user_home_dir->text.starts_with("file:///"));
  EXPECT_FALSE(info.user_home_dir->text.ends_with("relative"));
  EXPECT_EQ(info.temp_dir->text, "file:///tmp");
  EXPECT_TRUE(info.temporary_directories->empty());
}

TEST(DescribeThisMachine, NamesAShellThatIsThere) {
  const wire::ShellInfo shell = describe_this_machine({}).shell;
  EXPECT_THAT(shell.name, ::testing::AnyOf("bash", "zsh", "sh"));
  EXPECT_EQ(std::filesystem::path(shell.path).filename(), shell.name);
  EXPECT_EQ(::access(shell.path.c_str(), X_OK), 0);
}

TEST(DescribeThisMachine, ClaimsTheProtocolVersionAndWhatItCan) {
  const wire::EnvironmentInfo info = describe_this_machine({});
  EXPECT_EQ(info.executor_version, "0.171.0");
  ASSERT_TRUE(info.capabilities);
  EXPECT_FALSE(info.capabilities->network_proxy_launch);
  EXPECT_TRUE(info.capabilities->environment_config_read);
  EXPECT_TRUE(info.capabilities->file_write_streaming);
  EXPECT_TRUE(info.capabilities->fs_watch_missing);
}

TEST(DescribeThisMachine, AnnouncesItsExtensionsAndBounds) {
  const wire::EnvironmentInfo info =
      describe_this_machine({.retention_ms = 12345, .retain_bytes = 6789, .containment = "subreaper"});
  ASSERT_TRUE(info.outpost);
  EXPECT_EQ(info.outpost->version, 1u);
  EXPECT_TRUE(std::ranges::is_sorted(info.outpost->features));
  EXPECT_THAT(info.outpost->features, ::testing::Contains("process.closeStdin"));
  EXPECT_EQ(info.outpost->containment, "subreaper");
  EXPECT_EQ(info.outpost->sandbox.backend, "none");
  EXPECT_TRUE(info.outpost->sandbox.enforces.empty());
  EXPECT_TRUE(info.outpost->sandbox.reason.has_value());
  EXPECT_EQ(info.outpost->limits.retention_ms, 12345u);
  EXPECT_EQ(info.outpost->limits.retain_bytes, 6789u);
  EXPECT_EQ(info.outpost->limits.message_bytes, 67108864u);
  EXPECT_EQ(info.outpost->limits.in_flight, 1024u);
}

TEST(ProviderId, IsTheSameEachTimeAndHasItsForm) {
  const std::string id = provider_id();
  EXPECT_EQ(id, provider_id());
  EXPECT_EQ(describe_this_machine({}).provider_id, id);
  ASSERT_EQ(id.size(), 7u + 64u);
  EXPECT_TRUE(id.starts_with("sha256:"));
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef", 7), std::string::npos);
}

TEST(ProviderId, ComesFromTheBuildAndNotFromTheVersionAlone) {
  // This test program is linked with a build id, as the product is.
  EXPECT_NE(provider_id(), "sha256:" + to_hex(crypto::sha256(as_bytes("outpost " OUTPOST_VERSION))));
}

}  // namespace
}  // namespace outpost::local
