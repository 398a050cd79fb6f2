#include <gtest/gtest.h>

#include <cerrno>

#include "local/process/local_process_host.h"

namespace outpost::local {
namespace {

wire::StartParams good() {
  wire::StartParams params;
  params.process_id = "p";
  params.argv = {"/bin/true"};
  params.cwd.text = "file:///tmp/a%20b/";
  return params;
}

void expect_refused(const wire::StartParams& params, ErrorKind kind, const std::string& message) {
  const Result<std::string> checked = check_start(params);
  ASSERT_FALSE(checked) << message;
  EXPECT_EQ(checked.error().kind, kind) << message;
  EXPECT_EQ(checked.error().message, message);
}

TEST(CheckStart, GivesTheNativeFolder) {
  const Result<std::string> checked = check_start(good());
  ASSERT_TRUE(checked);
  EXPECT_EQ(*checked, "/tmp/a b");
}

TEST(CheckStart, RefusesParamsThatNameNoProgramOrFolder) {
  wire::StartParams params = good();
  params.argv.clear();
  expect_refused(params, ErrorKind::invalid_params, "argv must not be empty");
  params = good();
  params.cwd.text = "/tmp";
  expect_refused(params, ErrorKind::invalid_params, "invalid URI: relative URL without a base");
  params.cwd.text = "http://x/y";
  expect_refused(params, ErrorKind::invalid_params, "unsupported path URI scheme `http`");
  params.cwd.text = "file:///tmp?q";
  expect_refused(params, ErrorKind::invalid_params, "query parameters are not allowed in path URIs");
}

TEST(CheckStart, NamesTheFieldOfAUriOfAnotherHost) {
  wire::StartParams params = good();
  params.cwd.text = "file://server/share";
  expect_refused(
      params, ErrorKind::invalid_params,
      "cwd URI `file://server/share` is not valid on this exec-server host: 'file://server/share' is invalid "
      "on 'linux'");
}

TEST(CheckStart, RefusesWhatIsNotThereYet) {
  wire::StartParams params = good();
  params.sandbox.given = params.sandbox.limits = true;
  EXPECT_EQ(check_start(params).error().kind, ErrorKind::sandbox_unavailable);
  params = good();
  params.network_proxy.given = true;
  EXPECT_EQ(check_start(params).error().kind, ErrorKind::invalid_params);
  params = good();
  params.outpost.members.limits.given = true;
  const Error limits = check_start(params).error();
  EXPECT_EQ(limits.kind, ErrorKind::unavailable);
  EXPECT_TRUE(limits.message.starts_with("process limits are unavailable: ")) << limits.message;
}

TEST(CheckStart, AGraceNeedsATimeoutAndASizeATerminal) {
  wire::StartParams params = good();
  params.outpost.members.grace_ms = 0;
  expect_refused(params, ErrorKind::invalid_params, "outpost.graceMs needs timeoutMs");
  params.outpost.members.timeout_ms = 1;
  EXPECT_TRUE(check_start(params));
  params.outpost.members.size.emplace();
  expect_refused(params, ErrorKind::invalid_params, "outpost.size needs tty");
  params.tty = true;
  EXPECT_TRUE(check_start(params));
}

TEST(CheckStart, RefusesAnEmptyProgram) {
  wire::StartParams params = good();
  params.argv = {"", "x"};
  expect_refused(params, ErrorKind::spawn_failed, "missing program for pipe spawn");
}

TEST(CheckStart, RefusesNulBytesWhereverTheyAre) {
  const std::string nul("a\0b", 3);
  wire::StartParams params = good();
  params.argv.push_back(nul);
  expect_refused(params, ErrorKind::spawn_failed, "nul byte found in provided data");
  params = good();
  params.arg0 = nul;
  EXPECT_FALSE(check_start(params));
  params = good();
  params.env = {{nul, "x"}};
  EXPECT_FALSE(check_start(params));
  params = good();
  params.env = {{"x", nul}};
  EXPECT_FALSE(check_start(params));
  params = good();
  params.env_policy = wire::EnvPolicy{};
  params.env_policy->set = {{"x", nul}};
  EXPECT_FALSE(check_start(params));
}

TEST(SpawnError, ANameThatATerminalLooksUpHasATextOfItsOwn) {
  const Error error = spawn_error(ENOENT, "no-such-program");
  EXPECT_EQ(error.kind, ErrorKind::spawn_failed);
  EXPECT_TRUE(error.message.starts_with("Unable to spawn no-such-program because")) << error.message;
  EXPECT_EQ(spawn_error(EACCES, "x").kind, ErrorKind::spawn_permission);
}

TEST(SpawnError, HasTheKindsAndTextsOfTheTable) {
  struct Row {
    int error;
    ErrorKind kind;
    const char* message;
  };
  const Row rows[] = {{ENOENT, ErrorKind::spawn_not_found, "No such file or directory (os error 2)"},
                      {EACCES, ErrorKind::spawn_permission, "Permission denied (os error 13)"},
                      {ENOTDIR, ErrorKind::spawn_failed, "Not a directory (os error 20)"},
                      {ENOEXEC, ErrorKind::spawn_failed, "Exec format error (os error 8)"},
                      {E2BIG, ErrorKind::spawn_failed, "Argument list too long (os error 7)"}};
  for (const Row& row : rows) {
    EXPECT_EQ(spawn_error(row.error, {}).kind, row.kind) << row.message;
    EXPECT_EQ(spawn_error(row.error, {}).message, row.message);
  }
}

}  // namespace
}  // namespace outpost::local
