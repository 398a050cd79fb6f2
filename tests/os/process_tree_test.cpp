#include "os/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "base/limits/system.h"
#include "os/orphan_tag.h"
#include "run_program.h"

namespace outpost::os {
namespace {

using testing::read_all;
using testing::read_line;
using testing::shell;
using testing::start;

/// Two descendants out of the session, one of them an orphan, and a shell in it.
constexpr const char* tree_script =
    "(setsid sh -c 'echo up; sleep 1000' &); setsid sh -c 'echo up; sleep 1000' & (echo up; sleep 1000) & sleep 1000";
constexpr int tree_lines = 3;

class ProcessTree : public ::testing::Test {
 protected:
  ProcessTree() { EXPECT_TRUE(become_subreaper()); }
  ~ProcessTree() override {
    kill_descendants();
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }

  static testing::Running start_tree(const char* script, int lines, std::uint32_t tag = 0) {
    SpawnRequest request = shell(script);
    request.orphan_tag = tag;
    testing::Running running = start(std::move(request));
    for (int i = 0; i < lines; ++i) EXPECT_EQ(read_line(running.output.get()), "up");
    return running;
  }
  static bool is_running(const testing::Running& running) {
    return !testing::wait_readable(running.child.pidfd.get(), 0);
  }
};

TEST(ProcessStat, ReadsWhatTheKernelWrites) {
  const auto entry = parse_process_stat("4711 (sh) S 12 4711 4710 34816 4711 4194304 ...");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->pid, 4711);
  EXPECT_EQ(entry->state, 'S');
  EXPECT_EQ(entry->parent, 12);
  EXPECT_EQ(entry->group, 4711);
  EXPECT_EQ(entry->session, 4710);
  EXPECT_FALSE(entry->is_dead());
}

TEST(ProcessStat, NamesCannotPretend) {
  const auto entry = parse_process_stat("7 (a) Z 1 1 1 (\n) R 2 3 4 0 ");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->parent, 2);
  EXPECT_EQ(entry->state, 'R');
}

TEST(ProcessStat, EveryCutTextIsRefused) {
  const std::string whole = "7 (a b) Z 2 -1 4 ";
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse_process_stat(whole.substr(0, size)));
  ASSERT_TRUE(parse_process_stat(whole));
  EXPECT_TRUE(parse_process_stat(whole)->is_dead());
}

TEST_F(ProcessTree, ListShowsThisProcessAndItsChildren) {
  const auto running = start(shell("sleep 1000"));
  const auto processes = list_processes();
  const auto child = std::ranges::find(processes, running.child.pid, &ProcessEntry::pid);
  ASSERT_NE(child, processes.end());
  EXPECT_EQ(child->parent, ::getpid());
  EXPECT_EQ(child->session, running.child.pid);
  EXPECT_EQ(child->group, running.child.pid);
}

TEST_F(ProcessTree, KillReachesEveryDescendantOfTheLeaderAndNoOther) {
  const auto other = start_tree("echo up; sleep 1000", 1, 3);
  const auto running = start_tree(tree_script, tree_lines, 2);
  const TreeRoot root{.leader = running.child.pid, .orphan_tag = 2};
  const TreeKill kill = kill_trees({&root, 1});
  EXPECT_TRUE(kill.complete);
  EXPECT_GE(kill.killed, 4U);
  EXPECT_EQ(read_all(running.output.get()), "");
  EXPECT_EQ(testing::wait_for(running.child).wire_code(), 137);
  EXPECT_TRUE(is_running(other));
}

TEST_F(ProcessTree, OrphansAreFoundByTheirTagWhenTheLeaderIsGone) {
  const auto kept = start_tree("(setsid sh -c 'echo up; sleep 1000' &); exit 0", 1, 8);
  const auto running = start_tree("(setsid sh -c '(echo up; sleep 1000) & sleep 1000' &); exit 0", 1, 9);
  EXPECT_EQ(testing::wait_for(running.child).code, 0);
  const TreeRoot root{.leader = 0, .orphan_tag = 9};
  EXPECT_TRUE(kill_trees({&root, 1}).complete);
  EXPECT_EQ(read_all(running.output.get()), "");
  EXPECT_FALSE(testing::wait_readable(kept.output.get(), 0));
}

TEST_F(ProcessTree, SeveralTreesEndInOneGo) {
  const auto first = start_tree(tree_script, tree_lines, 1);
  const auto second = start_tree(tree_script, tree_lines, limits::orphan_tag_max);
  const TreeRoot roots[] = {{.leader = first.child.pid, .orphan_tag = 1},
                            {.leader = second.child.pid, .orphan_tag = limits::orphan_tag_max}};
  EXPECT_TRUE(kill_trees(roots).complete);
  EXPECT_EQ(read_all(first.output.get()), "");
  EXPECT_EQ(read_all(second.output.get()), "");
}

TEST_F(ProcessTree, ForkingLoopDoesNotRunAway) {
  const auto running =
      start_tree("i=0; while :; do (setsid sleep 1000 &); i=$((i+1)); [ $i = 50 ] && echo up; done", 1, 5);
  const TreeRoot root{.leader = running.child.pid, .orphan_tag = 5};
  const TreeKill kill = kill_trees({&root, 1});
  EXPECT_TRUE(kill.complete);
  EXPECT_GE(kill.killed, 30U);
  EXPECT_EQ(read_all(running.output.get()), "");
}

TEST_F(ProcessTree, OnlyChildrenOfOursAreLeaders) {
  auto running = start_tree("sleep 1000 & echo up; echo $!; wait", 1);
  const TreeRoot grandchild{.leader = static_cast<pid_t>(std::stoi(read_line(running.output.get())))};
  const TreeRoot others[] = {grandchild, {.leader = 1}, {.leader = ::getpid()}, {.leader = ::getppid()}, {}};
  const TreeKill kill = kill_trees(others);
  EXPECT_EQ(kill.killed, 0U);
  EXPECT_TRUE(kill.complete);
  EXPECT_TRUE(is_running(running));
}

TEST_F(ProcessTree, SparedChildrenAndTheirsLiveOn) {
  const auto spared = start_tree("(echo up; sleep 1000) & sleep 1000", 1);
  const auto running = start_tree(tree_script, tree_lines);
  EXPECT_TRUE(kill_descendants({&spared.child.pid, 1}).complete);
  EXPECT_EQ(read_all(running.output.get()), "");
  EXPECT_TRUE(is_running(spared));
  EXPECT_FALSE(testing::wait_readable(spared.output.get(), 0));
}

TEST_F(ProcessTree, NothingToKillIsComplete) {
  EXPECT_TRUE(kill_trees({}).complete);
  EXPECT_EQ(kill_descendants().killed, 0U);
}

TEST_F(ProcessTree, TagsAreInheritedAndBounded) {
  const auto tagged = start_tree("(setsid sh -c 'echo up; echo $$; sleep 1000' &)", 1, limits::orphan_tag_max);
  EXPECT_EQ(orphan_tag_of(static_cast<pid_t>(std::stoi(read_line(tagged.output.get())))), limits::orphan_tag_max);
  const auto above = start_tree("echo up; sleep 1000", 1, limits::orphan_tag_max + 1);
  EXPECT_EQ(orphan_tag_of(above.child.pid), limits::orphan_tag_max);
  const auto untagged = start_tree("echo up; sleep 1000", 1);
  EXPECT_EQ(orphan_tag_of(untagged.child.pid), 0U);
  EXPECT_EQ(orphan_tag_of(::getpid()), 0U);
}

TEST_F(ProcessTree, OrdinaryUsersReadTheirTags) {
  const auto finished = testing::run(testing::request_for({OS_PROBE, "tag"}));
  EXPECT_EQ(finished.output, "4711\n");
}

}  // namespace
}  // namespace outpost::os
