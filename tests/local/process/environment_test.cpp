#include "local/process/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace outpost::local {
namespace {

TEST(MatchesName, FollowsItsTable) {
  struct Row {
    const char* pattern;
    const char* name;
    bool matches;
  };
  const Row rows[] = {
      {"", "", true},
      {"", "A", false},
      {"*", "", true},
      {"*", "ANY", true},
      {"PATH", "PATH", true},
      {"path", "PATH", true},
      {"PATH", "Path", true},
      {"PATH", "PATHS", false},
      {"PATHS", "PATH", false},
      {"*KEY*", "API_KEY", true},
      {"*KEY*", "MONKEYS", true},
      {"*KEY*", "key", true},
      {"*KEY*", "KE_Y", false},
      {"?", "A", true},
      {"?", "", false},
      {"?", "AB", false},
      {"A?C", "ABC", true},
      {"A?C", "AC", false},
      {"A*C", "AC", true},
      {"A*C", "ABCBC", true},
      {"A*C", "ABCB", false},
      {"*?", "A", true},
      {"*?", "", false},
      {"**A**", "XAX", true},
      {"*AB*BA*", "ABA", false},
      {"*AB*BA*", "ABBA", true},
      {"[AB]", "A", false},
      {"[AB]", "[ab]", true},
      {"A.C", "ABC", false},
      {"\\*", "*", false},
      {"\\*", "\\x", true},
      {"*", "*", true},
      {"A*", "*", false},
      {"\xc3\x84", "\xc3\xa4", false},  // only ASCII has a case here
  };
  for (const Row& row : rows) {
    EXPECT_EQ(matches_name(row.pattern, row.name), row.matches) << row.pattern << " / " << row.name;
  }
}

TEST(MatchesName, ManyStarsDoNotTakeExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  pattern += "b";
  EXPECT_FALSE(matches_name(pattern, std::string(4000, 'a')));
  EXPECT_TRUE(matches_name(pattern, std::string(4000, 'a') + "b"));
}

using Lines = std::vector<std::string>;

const Lines server = {"PATH=/bin", "HOME=/root", "LANG=C",     "EDITOR=vi",   "API_KEY=1",
                      "aToken=2",  "SECRET=3",   "EMPTY=",     "EQUALS=a=b",  "no equals sign",
                      "TMPDIR=/t", "USER=u",     "LC_TIME=xx", "LC_CTYPE=utf"};

wire::StartParams params_with(wire::EnvInherit inherit) {
  wire::StartParams params;
  params.env_policy = wire::EnvPolicy{};
  params.env_policy->inherit = inherit;
  return params;
}

TEST(ChildEnvironment, WithoutAPolicyItIsExactlyWhatIsGiven) {
  wire::StartParams params;
  EXPECT_EQ(child_environment(params, server), Lines{});
  params.env = {{"B", "2"}, {"A", "1=1"}, {"", "x"}, {"C=D", "y"}};
  EXPECT_EQ(child_environment(params, server), (Lines{"=x", "A=1=1", "B=2", "C=D=y"}));
}

TEST(ChildEnvironment, NoneInheritsNothing) {
  EXPECT_EQ(child_environment(params_with(wire::EnvInherit::none), server), Lines{});
}

TEST(ChildEnvironment, CoreInheritsTheCoreNamesAlone) {
  EXPECT_EQ(child_environment(params_with(wire::EnvInherit::core), server),
            (Lines{"HOME=/root", "LANG=C", "LC_CTYPE=utf", "PATH=/bin", "TMPDIR=/t", "USER=u"}));
}

TEST(ChildEnvironment, AllInheritsAllButWhatLooksSecret) {
  EXPECT_EQ(child_environment(params_with(wire::EnvInherit::all), server),
            (Lines{"EDITOR=vi", "EMPTY=", "EQUALS=a=b", "HOME=/root", "LANG=C", "LC_CTYPE=utf", "LC_TIME=xx",
                   "PATH=/bin", "TMPDIR=/t", "USER=u"}));
}

TEST(ChildEnvironment, TheDefaultExcludesCanBeTurnedOff) {
  wire::StartParams params = params_with(wire::EnvInherit::all);
  params.env_policy->ignore_default_excludes = true;
  params.env_policy->exclude = {"l*", "e?????", "*MP*"};
  EXPECT_EQ(child_environment(params, server),
            (Lines{"API_KEY=1", "HOME=/root", "PATH=/bin", "SECRET=3", "USER=u", "aToken=2"}));
}

TEST(ChildEnvironment, WhatIsSetIsNotExcludedButCanBeLeftOut) {
  wire::StartParams params = params_with(wire::EnvInherit::core);
  params.env_policy->set = {{"MY_KEY", "k"}, {"PATH", "/set"}, {"OTHER", "o"}};
  params.env_policy->include_only = {"PATH", "*_key"};
  EXPECT_EQ(child_environment(params, server), (Lines{"MY_KEY=k", "PATH=/set"}));
}

TEST(ChildEnvironment, TheOwnVariablesAlwaysWin) {
  wire::StartParams params = params_with(wire::EnvInherit::core);
  params.env_policy->set = {{"PATH", "/set"}};
  params.env_policy->include_only = {"PATH"};
  params.env = {{"PATH", "/env"}, {"A_SECRET", "s"}};
  EXPECT_EQ(child_environment(params, server), (Lines{"A_SECRET=s", "PATH=/env"}));
}

TEST(OwnEnvironment, HasTheVariablesOfThisProcess) {
  ASSERT_EQ(::setenv("OUTPOST_TEST_VARIABLE", "here=yes", 1), 0);
  const Lines lines = own_environment();
  EXPECT_NE(std::ranges::find(lines, "OUTPOST_TEST_VARIABLE=here=yes"), lines.end());
  ::unsetenv("OUTPOST_TEST_VARIABLE");
}

}  // namespace
}  // namespace outpost::local
