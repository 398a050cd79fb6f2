#include "os/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "os/signals.h"
#include "run_program.h"

namespace outpost::os {
namespace {

using testing::request_for;
using testing::run;
using testing::shell;

/// A folder of the test's own, gone with it.
class SpawnTest : public ::testing::Test {
 protected:
  SpawnTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "spawn_test.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~SpawnTest() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name, const std::string& text, mode_t mode) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(at(name)) << text;
    ::chmod(at(name).c_str(), mode);
    return at(name);
  }
  std::string script(const std::string& name, const std::string& says) const {
    return file(name, "#!/bin/sh\necho " + says + "\n", 0755);
  }

  std::filesystem::path folder_;
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator begin("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

int failure_of(const SpawnRequest& request, SpawnFailure::Stage stage = SpawnFailure::exec) {
  const SpawnOutcome outcome = spawn(request);
  EXPECT_FALSE(outcome.has_value());
  if (outcome) return 0;
  EXPECT_EQ(outcome.error().stage, stage);
  return outcome.error().error;
}

TEST_F(SpawnTest, PassesArgumentsEnvironmentAndFolderExactly) {
  SpawnRequest request = shell("printf '%s|' \"$0\" \"$@\"; pwd; /usr/bin/env | sort");
  request.argv = {"my-name", "-c", request.argv[2], "zero", "", "a b", "\xff"};
  request.environment = {"A=1", "B=", "=odd"};
  request.cwd = folder_;
  const auto finished = run(std::move(request));
  EXPECT_TRUE(finished.output.starts_with("zero||a b|\xff|" + folder_.string() + "\n")) << finished.output;
  EXPECT_NE(finished.output.find("\nA=1\nB=\n"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("PATH=/"), std::string::npos) << finished.output;
}

TEST_F(SpawnTest, FirstArgumentMayDifferFromTheProgram) {
  SpawnRequest request = request_for({"/bin/sh"});
  request.argv = {"other-name", "-c", "tr '\\0' ' ' </proc/$$/cmdline"};
  EXPECT_EQ(run(std::move(request)).output, "other-name -c tr '\\0' ' ' </proc/$$/cmdline ");
}

TEST_F(SpawnTest, ReportsExitStatusesAndSignals) {
  EXPECT_EQ(run(shell("exit 0")).status.wire_code(), 0);
  EXPECT_EQ(run(shell("exit 203")).status.wire_code(), 203);
  const auto killed = run(shell("kill -TERM $$"));
  EXPECT_EQ(killed.status.signal, SIGTERM);
  EXPECT_EQ(killed.status.wire_code(), 143);
}

TEST_F(SpawnTest, StatusIsThereOnceTheChildHasEndedAndOnlyOnce) {
  Pipe input = std::move(*make_pipe(Blocking::yes, Blocking::yes));
  SpawnRequest request = request_for({"cat"});
  request.stdin_fd = std::move(input.read);
  auto running = testing::start(std::move(request));
  EXPECT_FALSE(exit_status(running.child.pidfd.get()));
  EXPECT_NE(::fcntl(running.child.pidfd.get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_EQ(write_some(input.write.get(), as_bytes("through")).bytes, 7U);
  EXPECT_FALSE(testing::wait_readable(running.child.pidfd.get(), 0));
  // The request, and with it the child's ends, lives on in no one: the end of input arrives.
  input.write.reset();
  EXPECT_EQ(testing::read_all(running.output.get()), "through");
  EXPECT_EQ(testing::wait_for(running.child).code, 0);
  EXPECT_EQ(exit_status(running.child.pidfd.get())->code, 255);
}

TEST_F(SpawnTest, ChildHasDescriptorsZeroToTwoOnly) {
  std::vector<FileDescriptor> inherited;
  // Without O_CLOEXEC, as a launcher might leave them.
  for (int i = 0; i < 50; ++i) inherited.emplace_back(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(run(shell("ls /proc/$$/fd | tr '\\n' ' '")).output, "0 1 2 ");
}

TEST_F(SpawnTest, ChildHasNoBlockedAndNoIgnoredSignals) {
  ignore_broken_pipes();
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGCHLD, [](int) {});
  const AllSignalsBlocked blocked;
  const auto finished = run(request_for({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
  const std::string none = "0000000000000000\n";
  EXPECT_EQ(finished.output, "SigBlk:\t" + none + "SigIgn:\t" + none);
}

TEST_F(SpawnTest, BrokenPipeEndsAWriterThoughWeIgnoreTheSignal) {
  ignore_broken_pipes();
  SpawnRequest request = request_for({"/bin/bash", "-c", "yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}"});
  EXPECT_EQ(run(std::move(request)).output, "141\n");
}

TEST_F(SpawnTest, ParentKeepsItsOwnHandlersAndMask) {
  ::signal(SIGUSR1, SIG_IGN);
  const auto is_blocked = [](int signal) {
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return ::sigismember(&mask, signal) == 1;
  };
  ASSERT_FALSE(is_blocked(SIGUSR2));
  run(shell("exit 0"));
  EXPECT_EQ(failure_of(request_for({"/none"})), ENOENT);
  EXPECT_FALSE(is_blocked(SIGUSR2));
  struct sigaction action;
  ::sigaction(SIGUSR1, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_IGN);
}

TEST_F(SpawnTest, ChildLeadsASessionOfItsOwn) {
  // Fields 1, 5 and 6: pid, group, session.
  const auto finished = run(shell("set -- $(cat /proc/$$/stat); echo $1 $5 $6"));
  const std::string pid = finished.output.substr(0, finished.output.find(' '));
  EXPECT_EQ(finished.output, pid + " " + pid + " " + pid + "\n");
}

TEST_F(SpawnTest, UmaskIsThatOfTheParent) {
  const mode_t before = ::umask(027);
  const auto finished = run(shell("umask"));
  ::umask(before);
  EXPECT_EQ(finished.output, "0027\n");
}

TEST_F(SpawnTest, EmptyDescriptorsAreDevNull) {
  EXPECT_EQ(run(shell("readlink /proc/$$/fd/0 /proc/$$/fd/2")).output, "/dev/null\n/dev/null\n");
}

TEST_F(SpawnTest, StdinIsAtItsEndWithoutDevNull) {
  const auto in_empty_dev = [](const std::string& command) {
    const std::string script = "mount -t tmpfs none /dev && exec " + command;
    return run(request_for({"unshare", "--mount", "sh", "-c", script})).status.wire_code();
  };
  if (in_empty_dev("true") != 0) GTEST_SKIP() << "no right to hide /dev";
  EXPECT_EQ(in_empty_dev(OS_PROBE " read"), 0);
}

TEST_F(SpawnTest, DescriptorsMayBeTheStandardOnesInAnyOrder) {
  // In a child of our own, since the test's standard streams must survive.
  const auto out = file("out", "", 0600);
  const auto err = file("err", "", 0600);
  std::fflush(nullptr);  // what is buffered here must not come out of the child as well
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(::open(err.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), 1);
    ::dup2(::open(out.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), 2);
    ::close(0);
    SpawnRequest request = shell("echo to-out; echo to-err >&2; ls /proc/$$/fd | tr '\\n' ' '");
    request.stdin_fd.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    request.stdout_fd.reset(2);
    request.stderr_fd.reset(1);
    const auto child = spawn(request);
    ::_exit(child && testing::wait_for(*child).code == 0 && request.stdin_fd.get() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  const auto text = [](const std::string& path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_EQ(text(out), "to-out\n0 1 2 ");
  EXPECT_EQ(text(err), "to-err\n");
}

TEST_F(SpawnTest, TerminalBecomesTheControllingOne) {
  const FileDescriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(master);
  ASSERT_EQ(::grantpt(master.get()), 0);
  ASSERT_EQ(::unlockpt(master.get()), 0);
  SpawnRequest request = shell("echo to-terminal >/dev/tty; test -t 0 -a -t 1 -a -t 2; echo $?");
  request.stdin_fd.reset(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  request.controlling_terminal = true;
  const auto child = spawn(request);
  ASSERT_TRUE(child) << child.error().error;
  request.stdin_fd.reset();
  EXPECT_EQ(testing::read_all(master.get()), "to-terminal\r\n0\r\n");
  EXPECT_EQ(testing::wait_for(*child).code, 0);
}

TEST_F(SpawnTest, TerminalThatIsNoneFailsInTheChild) {
  SpawnRequest request = shell("exit 0");
  request.stdin_fd.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
  request.controlling_terminal = true;
  EXPECT_EQ(failure_of(request, SpawnFailure::child), ENOTTY);
}

TEST_F(SpawnTest, BareNameIsLookedUpInThePathOfTheChild) {
  script("one/tool", "one");
  script("two/tool", "two");
  SpawnRequest request = request_for({"tool"});
  request.environment = {"PATH=" + at("none") + ":" + at("one") + ":" + at("two")};
  EXPECT_EQ(run(std::move(request)).output, "one\n");
  request = request_for({"tool"});
  request.environment = {"PATH=" + at("one")};
  request.environment.insert(request.environment.begin(), "XPATH=" + at("two"));
  EXPECT_EQ(run(std::move(request)).output, "one\n");
}

TEST_F(SpawnTest, WithoutPathTheSystemsDefaultIsSearched) {
  ::setenv("PATH", at("one").c_str(), 1);
  script("one/sh", "ours");
  SpawnRequest request = request_for({"sh", "-c", "echo system"});
  request.environment = {};
  EXPECT_EQ(run(std::move(request)).output, "system\n");
}

TEST_F(SpawnTest, SearchPassesOverWhatIsForbiddenButRemembersIt) {
  file("one/tool", "#!/bin/sh\n", 0644);
  std::filesystem::create_directories(at("folder/tool"));
  script("two/tool", "two");
  SpawnRequest request = request_for({"tool"});
  request.environment = {"PATH=" + at("one") + ":" + at("folder") + ":" + at("two")};
  EXPECT_EQ(run(std::move(request)).output, "two\n");
  request = request_for({"tool"});
  request.environment = {"PATH=" + at("one") + ":" + at("none")};
  EXPECT_EQ(failure_of(request), EACCES);
  request.environment = {"PATH=" + at("none") + ":" + at("one/tool")};
  EXPECT_EQ(failure_of(request), ENOTDIR);
}

TEST_F(SpawnTest, EmptyPathElementIsTheFolderOfTheChild) {
  script("tool", "here");
  for (const char* path : {"PATH=", "PATH=/nowhere:", "PATH=:/nowhere", "PATH=/nowhere::/nowhere"}) {
    SpawnRequest request = request_for({"tool"});
    request.environment = {path};
    request.cwd = folder_;
    EXPECT_EQ(run(std::move(request)).output, "here\n") << path;
  }
}

TEST_F(SpawnTest, ProgramWithASlashIsRelativeToTheFolderOfTheChild) {
  script("deep/tool", "deep");
  SpawnRequest request = request_for({"deep/tool"});
  request.cwd = folder_;
  EXPECT_EQ(run(std::move(request)).output, "deep\n");
  request = request_for({"deep/tool"});
  request.cwd = "/";
  EXPECT_EQ(failure_of(request), ENOENT);
}

TEST_F(SpawnTest, FailuresHaveTheErrnoOfTheirCause) {
  EXPECT_EQ(failure_of(request_for({at("missing")})), ENOENT);
  EXPECT_EQ(failure_of(request_for({"surely-not-a-program"})), ENOENT);
  EXPECT_EQ(failure_of(request_for({""})), ENOENT);
  EXPECT_EQ(failure_of(request_for({at(".")})), EACCES);
  EXPECT_EQ(failure_of(request_for({file("plain", "#!/bin/sh\n", 0644)})), EACCES);
  EXPECT_EQ(failure_of(request_for({file("text", "echo no shell fall-back\n", 0755)})), ENOEXEC);
  EXPECT_EQ(failure_of(request_for({file("loader", "#!/no/such/shell\n", 0755)})), ENOENT);
  EXPECT_EQ(failure_of(request_for({"/bin/true", std::string(8U << 20U, 'x')})), E2BIG);
}

TEST_F(SpawnTest, FolderFailuresAreToldApart) {
  SpawnRequest request = shell("exit 0");
  request.cwd = at("missing");
  EXPECT_EQ(failure_of(request, SpawnFailure::folder), ENOENT);
  request.cwd = file("plain", "", 0644);
  EXPECT_EQ(failure_of(request, SpawnFailure::folder), ENOTDIR);
}

TEST_F(SpawnTest, NulBytesAreRefusedEverywhere) {
  const std::string nul("a\0b", 3);
  std::vector<SpawnRequest> requests(4);
  for (auto& request : requests) request = shell("exit 0");
  requests[0].program = nul;
  requests[1].argv.push_back(nul);
  requests[2].environment.push_back(nul);
  requests[3].cwd = nul;
  for (const auto& request : requests) EXPECT_EQ(failure_of(request, SpawnFailure::prepare), EINVAL);
}

TEST_F(SpawnTest, FiveHundredStartsLeaveNoDescriptorAndNoZombie) {
  const std::size_t before = open_descriptors();
  SpawnStack stack;
  for (int i = 0; i < 500; ++i) {
    const SpawnOutcome child = spawn(request_for({i % 5 == 0 ? "/none" : "/bin/true"}), stack);
    ASSERT_EQ(child.has_value(), i % 5 != 0);
    if (child) ASSERT_EQ(testing::wait_for(*child).code, 0);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(SpawnTest, SignalsReachTheGroupOrTheOneProcess) {
  auto running = testing::start(shell("trap 'echo leader' USR1; sleep 1000 & echo ready; wait; wait"));
  ASSERT_EQ(testing::read_line(running.output.get()), "ready");
  EXPECT_TRUE(signal_process(running.child.pidfd.get(), SIGUSR1));
  EXPECT_EQ(testing::read_line(running.output.get()), "leader");
  EXPECT_TRUE(kill_group(running.child.pid, SIGKILL));
  EXPECT_EQ(testing::read_all(running.output.get()), "");
  EXPECT_EQ(testing::wait_for(running.child).wire_code(), 137);
  EXPECT_FALSE(signal_process(running.child.pidfd.get(), SIGKILL));
}

TEST_F(SpawnTest, GroupsThatAreNoChildrenAreNeverSignalled) {
  EXPECT_FALSE(kill_group(0, 0));
  EXPECT_FALSE(kill_group(1, 0));
  EXPECT_FALSE(kill_group(-1, 0));
}

TEST_F(SpawnTest, ChildDiesWithItsParent) {
  Pipe pipe = std::move(*make_pipe(Blocking::yes, Blocking::yes));
  const pid_t parent = ::fork();
  if (parent == 0) {
    SpawnRequest request = request_for({"sleep", "1000"});
    request.stdout_fd = std::move(pipe.write);
    ::_exit(spawn(request) ? 0 : 1);
  }
  pipe.write.reset();
  int status = -1;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(testing::read_all(pipe.read.get()), "");
}

}  // namespace
}  // namespace outpost::os
