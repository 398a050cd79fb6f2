#include "apps/outpost/command_line.h"

#include <gmock/gmock.h>

namespace outpost::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

struct Parsed {
  CommandLine command;
  std::string errors;
};

Parsed parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "outpost");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  CaptureStderr();
  CommandLine command = parse_command_line(static_cast<int>(arguments.size()), words.data());
  return {std::move(command), GetCapturedStderr()};
}

Parsed parse_run(std::vector<std::string> options, std::vector<std::string> command = {"true"}) {
  options.insert(options.begin(), {"run", "--url", "ws://h:1"});
  options.emplace_back("--");
  options.insert(options.end(), command.begin(), command.end());
  return parse(std::move(options));
}

TEST(CommandLine, TheCommandsWordsAreLeftAsTheyAre) {
  const std::vector<std::string> words = {"echo", "[a,b]", "[x]",     "[",       "]", "[]",
                                          "",     "--",    "--url=x", "--env=y", "-", "a,b"};
  const Parsed parsed = parse_run({}, words);
  EXPECT_EQ(parsed.command.verb, Verb::run);
  EXPECT_EQ(parsed.command.run.argv, words);
  EXPECT_EQ(parsed.command.run.url, "ws://h:1");
}

TEST(CommandLine, EachVariableIsLeftAsItIs) {
  const Parsed parsed = parse_run({"--env", "[A=1,B=2]", "--env", "C=[x]", "--env", "D=a,b", "--env", "E=\"q\" 'r'",
                                   "--env=F=", "--env", "G=[a,b]"});
  EXPECT_THAT(parsed.command.run.env, ElementsAre("[A=1,B=2]", "C=[x]", "D=a,b", "E=\"q\" 'r'", "F=", "G=[a,b]"));
  EXPECT_THAT(parse_run({"--env", "", "--env", "A=1"}).command.run.env, ElementsAre("", "A=1"));
}

TEST(CommandLine, OneVariableForEachOption) {
  const Parsed parsed = parse_run({"--env", "A=1", "B=2"});
  EXPECT_EQ(parsed.command.verb, Verb::none);
  EXPECT_EQ(parsed.command.exit_status, 2);
}

TEST(CommandLine, TheCommandOfRunGoesBehindTwoDashes) {
  const Parsed without = parse({"run", "--url", "ws://h:1", "true"});
  EXPECT_EQ(without.command.exit_status, 2);
  EXPECT_THAT(without.errors, HasSubstr("behind --"));
  for (const auto& missing : {parse({"run", "--url", "ws://h:1"}), parse_run({}, {})}) {
    EXPECT_EQ(missing.command.verb, Verb::none);
    EXPECT_EQ(missing.command.exit_status, 2);
    EXPECT_THAT(missing.errors, HasSubstr("the command to run is missing"));
  }
}

TEST(CommandLine, AWordThatIsNoCommandIsNamedWithThoseThatAre) {
  const Parsed parsed = parse({"no-such-verb", "--x", "--", "true"});
  EXPECT_EQ(parsed.command.verb, Verb::none);
  EXPECT_EQ(parsed.command.exit_status, 2);
  EXPECT_EQ(parsed.errors,
            "outpost: there is no command no-such-verb; there are serve (or exec-server), run and doctor\n");
}

TEST(CommandLine, ServeTakesNothingBehindTwoDashes) {
  EXPECT_EQ(parse({"serve", "--", "true"}).command.exit_status, 2);
  EXPECT_EQ(parse({"exec-server"}).command.verb, Verb::serve);
}

TEST(CommandLine, ServesOptionsHaveTheirRanges) {
  EXPECT_THAT(parse({"serve", "--listen", "ws://127.0.0.1:1", "--listen", "ws://[::1]:1"}).command.serve.listen,
              ElementsAre("ws://127.0.0.1:1", "ws://[::1]:1"));
  EXPECT_EQ(parse({"serve", "--loops", "0"}).command.exit_status, 2);
  EXPECT_EQ(parse({"serve", "--session-retention", "2", "--session-retention-max", "1"}).command.exit_status, 2);
}

TEST(CommandLine, SecondsMayHaveFractionsButNothingElse) {
  EXPECT_EQ(parse_seconds("--x", "1.5", 10).count(), 1500);
  EXPECT_EQ(parse_seconds("--x", "0", 10).count(), 0);
  for (const std::string text : {"", "-1", "11", "1s", "nan", "inf", " "}) {
    EXPECT_ANY_THROW(parse_seconds("--x", text, 10)) << text;
  }
}

}  // namespace
}  // namespace outpost::apps
