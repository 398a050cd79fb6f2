#include <gtest/gtest.h>

#include "support/program.h"

namespace outpost {
namespace {

using testing::memory_file;
using testing::Program;
using testing::ProgramResult;
using testing::run_program;
using testing::TestServer;

class Run : public ::testing::Test {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> command, std::vector<std::string> options = {}) const {
    std::vector<std::string> all{"run", "--url", server.url()};
    all.insert(all.end(), options.begin(), options.end());
    all.emplace_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  ProgramResult run(std::vector<std::string> command, std::vector<std::string> options = {},
                    os::FileDescriptor input = {}) const {
    return run_program(arguments(std::move(command), std::move(options)), std::move(input));
  }
  ProgramResult shell(const std::string& script, std::vector<std::string> options = {}) const {
    return run({"/bin/sh", "-c", script}, std::move(options));
  }
  TestServer server;
};

TEST_F(Run, PassesOnBothOutputsAndTheStatus) {
  const ProgramResult result = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(shell("exit 0").status, 0);
  EXPECT_EQ(shell("kill -9 $$").status, 137);
}

TEST_F(Run, CarriesStdinToItsEnd) {
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + "\n";
  const ProgramResult result = run({"/bin/cat"}, {}, memory_file(text));
  EXPECT_TRUE(result.output == text) << result.output.size();
  EXPECT_EQ(result.status, 0);
}

TEST_F(Run, CarriesAPipeToItsEnd) {
  os::Pipe pipe = std::move(*os::make_pipe(os::Blocking::yes, os::Blocking::yes));
  Program program(arguments({"/bin/cat"}), std::move(pipe.read));
  os::write_some(pipe.write.get(), as_bytes("a\n"));
  EXPECT_EQ(program.line(), "a");
  os::write_some(pipe.write.get(), as_bytes("b\n"));
  EXPECT_EQ(program.line(), "b");
  pipe.write.reset();
  EXPECT_EQ(program.rest(), "");
  EXPECT_EQ(program.wait().wire_code(), 0);
}

TEST_F(Run, EmptyStdinIsAtItsEnd) {
  EXPECT_EQ(run({"/usr/bin/wc", "-c"}).output, "0\n");
  EXPECT_EQ(run({"/usr/bin/wc", "-c"}, {}, memory_file()).output, "0\n");
}

TEST_F(Run, CommandThatIsNotThereIs127) {
  const ProgramResult result = run({"/no/such/program"});
  EXPECT_EQ(result.status, 127);
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(result.errors.starts_with("outpost: cannot run /no/such/program: ")) << result.errors;
  EXPECT_EQ(run({"no-such-program"}).status, 127);
}

TEST_F(Run, CommandThatCannotBeExecutedIs126) {
  const ProgramResult result = run({"/etc/passwd"});
  EXPECT_EQ(result.status, 126);
  EXPECT_TRUE(result.errors.starts_with("outpost: cannot run /etc/passwd: ")) << result.errors;
}

TEST_F(Run, SetsVariablesAndFolder) {
  EXPECT_EQ(shell("echo $A-$B", {"--env", "A=1", "--env", "B=x=y"}).output, "1-x=y\n");
  EXPECT_EQ(run({"/bin/pwd"}, {"--cwd", "/usr/bin"}).output, "/usr/bin\n");
  EXPECT_EQ(run({"/bin/pwd"}, {"--cwd", "/usr/bin/../lib"}).output, "/usr/lib\n");
}

TEST_F(Run, RefusesVariablesAndFoldersThatAreNone) {
  for (const std::string variable : {"A", "=1", ""}) {
    const ProgramResult result = shell("true", {"--env", variable});
    EXPECT_EQ(result.status, 125) << variable;
    EXPECT_EQ(result.errors, "outpost: --env " + variable + " is not of the form NAME=VALUE\n");
  }
  const ProgramResult relative = shell("true", {"--cwd", "tmp"});
  EXPECT_EQ(relative.status, 125);
  EXPECT_EQ(relative.errors, "outpost: --cwd must be an absolute folder\n");
}

TEST_F(Run, AFolderThatIsNotThereIsNotTheCommandsFault) {
  const ProgramResult missing = shell("true", {"--cwd", "/no/such/folder"});
  EXPECT_EQ(missing.status, 125);
  EXPECT_EQ(missing.errors, "outpost: --cwd /no/such/folder: no such folder on the far machine\n");
  const ProgramResult file = shell("true", {"--cwd", "/etc/passwd"});
  EXPECT_EQ(file.status, 125);
  EXPECT_EQ(file.errors, "outpost: --cwd /etc/passwd: not a folder on the far machine\n");
  EXPECT_EQ(run({"/no/such/program"}, {"--cwd", "/usr"}).status, 127);
}

TEST_F(Run, BracketsAreLeftAsTheyAre) {
  EXPECT_EQ(run({"/bin/echo", "[a,b]", "[x]"}).output, "[a,b] [x]\n");
  EXPECT_EQ(run({"/bin/sh", "-c", "[ 1 = 1 ]"}).status, 0);
  EXPECT_EQ(shell("echo \"$A\"", {"--env", "A=[a,b]"}).output, "[a,b]\n");
}

TEST_F(Run, TellsTheErrorOfTheAddressThatAnswered) {
  // Nobody listens at the other address of that name.
  const ProgramResult result =
      run_program({"run", "--url", "ws://localhost:" + std::to_string(server.port()) + "/nowhere", "--", "/bin/true"});
  EXPECT_EQ(result.status, 125);
  EXPECT_EQ(result.errors, "outpost: HTTP error: 404 Not Found\n");
}

TEST_F(Run, ArgumentsAreThoseOfTheCommand) {
  EXPECT_EQ(run({"/bin/echo", "--url", "--env", "-x", "", "a b"}).output, "--url --env -x  a b\n");
}

TEST_F(Run, EndsTheCommandWhenNobodyReadsItsOutput) {
  Program program(arguments({"/usr/bin/yes"}));
  EXPECT_EQ(program.line(), "y");
  program.close_output();
  EXPECT_EQ(program.wait().wire_code(), 128 + SIGPIPE);
}

TEST_F(Run, InterruptIsTheCommandsToHandle) {
  Program program(
      arguments({"/bin/bash", "-c", "trap 'echo caught; exit 9' INT; echo up; while :; do sleep 0.05; done"}));
  EXPECT_EQ(program.line(), "up");
  program.signal(SIGINT);
  EXPECT_EQ(program.line(), "caught");
  EXPECT_EQ(program.wait().wire_code(), 9);
}

TEST_F(Run, TerminationEndsTheCommand) {
  Program program(arguments({"/bin/bash", "-c", "echo $$; sleep 1000"}));
  const auto process = testing::open_process(static_cast<pid_t>(std::stol(program.line())));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 128 + SIGTERM);
  EXPECT_TRUE(testing::wait_for_death(process));
}

TEST_F(Run, LosesTheServerWith125) {
  Program program(arguments({"/bin/bash", "-c", "echo up; sleep 1000"}));
  EXPECT_EQ(program.line(), "up");
  server.guard().signal(SIGTERM);
  EXPECT_EQ(program.wait().wire_code(), 125);
  EXPECT_TRUE(program.errors().starts_with("outpost: the connection to the server is lost")) << program.errors();
}

TEST(RunWithoutServer, TriesAnAddressWithAScope) {
  for (const std::string host : {"[fe80::1%1]", "[fe80::1%lo]"}) {
    const ProgramResult result = run_program({"run", "--url", "ws://" + host + ":1", "--", "true"});
    EXPECT_EQ(result.status, 125);
    EXPECT_TRUE(result.errors.starts_with("outpost: cannot connect to " + host + ":1: ")) << result.errors;
    EXPECT_TRUE(result.errors.contains("(os error ")) << result.errors;
  }
}

TEST(RunWithoutServer, SaysWhyWith125) {
  for (const std::string url :
       {"http://127.0.0.1:1", "ws://", "nonsense", "ws://127.0.0.1:99999", "ws://127.0.0.1:1"}) {
    const ProgramResult result = run_program({"run", "--url", url, "--", "true"});
    EXPECT_EQ(result.status, 125) << url;
    EXPECT_EQ(result.output, "") << url;
    EXPECT_TRUE(result.errors.starts_with("outpost: ")) << url << ": " << result.errors;
  }
}

}  // namespace
}  // namespace outpost
