#include "local/process/local_process_host.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "local/process/process_fixture.h"

namespace outpost::local::testing {
namespace {

using LocalProcessHostTest = HostTest;

void expect_failed(const Result<capability::StartedProcess>& outcome, ErrorKind kind, const std::string& message) {
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, kind);
  EXPECT_EQ(outcome.error().message, message);
}

TEST_F(LocalProcessHostTest, TwoHundredQuickCommandsLoseNothing) {
  std::map<int, std::unique_ptr<Follower>> followers;
  for (int i = 0; i < 200; ++i) {
    host_.start(scope_, command({"/bin/echo", "number " + std::to_string(i)}),
                [&followers, i](Result<capability::StartedProcess> given) {
                  ASSERT_TRUE(given) << given.error().message;
                  followers[i] = std::make_unique<Follower>(std::move(given->process));
                });
  }
  ASSERT_TRUE(run_until(loop_, [&] {
    return followers.size() == 200 &&
           std::ranges::all_of(followers, [](const auto& entry) { return entry.second->closed(); });
  }));
  for (const auto& [number, follower] : followers) {
    EXPECT_EQ(follower->output(), "number " + std::to_string(number) + "\n");
    EXPECT_EQ(follower->exit_code(), 0);
    follower->expect_complete_sequence();
  }
  EXPECT_TRUE(no_children());
}

TEST_F(LocalProcessHostTest, TheChildGetsItsEnvironmentNameAndFolder) {
  wire::StartParams params = script("env; echo \"name $0\"; pwd");
  params.argv = {"/usr/bin/env", "sh", "-c", "echo \"$A\"; pwd"};
  params.env = {{"A", "b c"}, {"PATH", "/usr/bin:/bin"}};
  params.cwd.text = "file://" + folder_;
  EXPECT_EQ(run(std::move(params))->output(), "b c\n" + folder_ + "\n");

  params = command({"/bin/sh", "-c", "echo \"$0\""});
  params.arg0 = "other-name";
  EXPECT_EQ(run(std::move(params))->output(), "other-name\n");

  params = command({"/usr/bin/env"});
  params.env = {{"ONLY", "this"}};
  EXPECT_EQ(run(std::move(params))->output(), "ONLY=this\n");
}

TEST_F(LocalProcessHostTest, SaysThatThereIsNoSandbox) {
  const auto started = try_start(command({"/bin/true"}));
  ASSERT_TRUE(started);
  EXPECT_EQ(started->sandbox_type, wire::SandboxType::none);
}

TEST_F(LocalProcessHostTest, AFailedStartHasItsKindAndText) {
  expect_failed(try_start(command({"/does/not/exist"})), ErrorKind::spawn_not_found,
                "No such file or directory (os error 2)");
  expect_failed(try_start(command({"no-such-program-anywhere"})), ErrorKind::spawn_not_found,
                "No such file or directory (os error 2)");
  expect_failed(try_start(command({"/tmp"})), ErrorKind::spawn_permission, "Permission denied (os error 13)");
  wire::StartParams params = command({"/bin/true"});
  params.cwd.text = "file://" + path("missing");
  expect_failed(try_start(params), ErrorKind::spawn_not_found, "No such file or directory (os error 2)");
  params.cwd.text = "file:///bin/sh";
  expect_failed(try_start(params), ErrorKind::spawn_failed, "Not a directory (os error 20)");
  EXPECT_TRUE(no_children());
}

TEST_F(LocalProcessHostTest, AFileThatIsNoProgramIsNotGivenToAShell) {
  const std::string file = path("text");
  std::ofstream(file) << "echo surprise\n";
  ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
  expect_failed(try_start(command({file})), ErrorKind::spawn_failed, "Exec format error (os error 8)");
}

TEST_F(LocalProcessHostTest, ARefusalComesFromTheLoopToo) {
  wire::StartParams params = command({""});
  EXPECT_EQ(try_start(params).error().kind, ErrorKind::spawn_failed);
  params = command({});
  expect_failed(try_start(params), ErrorKind::invalid_params, "argv must not be empty");
}

TEST_F(LocalProcessHostTest, AFailedStartGivesItsDescriptorsBack) {
  run(command({"/bin/true"}));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(try_start(command({"/does/not/exist"})));
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace outpost::local::testing
