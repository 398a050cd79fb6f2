#include "local/process/containment.h"

#include "local/process/process_fixture.h"

namespace outpost::local::testing {
namespace {

using namespace std::chrono_literals;

/// With a host of its own, so that its levels can be chosen.
class ContainmentTest : public HostTest {
 protected:
  int daemon_of(capability::ProcessHost::Scope scope) {
    auto params = script("(setsid sh -c 'echo $$; exec sleep 1000' &)");
    std::optional<Result<capability::StartedProcess>> outcome;
    host_.start(scope, std::move(params),
                [&](Result<capability::StartedProcess> given) { outcome = std::move(given); });
    EXPECT_TRUE(run_until(loop_, [&] { return outcome.has_value(); }));
    followers_.push_back(std::make_unique<Follower>(std::move((*outcome)->process)));
    const Follower& follower = *followers_.back();
    EXPECT_TRUE(run_until(loop_, [&] { return follower.output().ends_with("\n"); }));
    return std::stoi(follower.output());
  }
  std::vector<std::unique_ptr<Follower>> followers_;
};

TEST_F(ContainmentTest, EndOfAScopeReachesDaemonsOfEndedProcessesAndNoOtherScope) {
  const auto other = host_.new_scope();
  const int mine = daemon_of(scope_), others = daemon_of(other);
  host_.end_scope(scope_);
  EXPECT_TRUE(run_until(loop_, [&] { return is_dead(mine); }));
  EXPECT_FALSE(is_dead(others));
  host_.end_scope(other);
  EXPECT_TRUE(run_until(loop_, [&] { return is_dead(others); }));
}

TEST(Containment, LevelsHaveTheNamesOfTheWire) {
  for (const auto level : {ContainmentLevel::cgroup, ContainmentLevel::subreaper, ContainmentLevel::group}) {
    EXPECT_EQ(containment_level_of(name_of(level)), level);
  }
  EXPECT_EQ(name_of(ContainmentLevel::subreaper), "subreaper");
  EXPECT_FALSE(containment_level_of("none"));
}

TEST(Containment, TriesNothingAboveWhatItMay) {
  const Containment group({.best = ContainmentLevel::group, .cgroup_name = "never-made"});
  EXPECT_EQ(group.level(), ContainmentLevel::group);
  EXPECT_EQ(group.cgroup_path(), "");
  const Containment tags({.best = ContainmentLevel::subreaper, .cgroup_name = "never-made"});
  EXPECT_NE(tags.level(), ContainmentLevel::cgroup);
}

TEST(Containment, ACgroupThatCannotBeMadeFallsBackAndSaysWhy) {
  const Containment containment({.best = ContainmentLevel::cgroup, .cgroup_name = "no/such/parent"});
  EXPECT_NE(containment.level(), ContainmentLevel::cgroup);
  EXPECT_NE(containment.reason(), "");
}

TEST(Containment, PlacesOfOneScopeDiffer) {
  Containment containment({.best = ContainmentLevel::subreaper, .cgroup_name = {}});
  const auto scope = containment.new_scope();
  EXPECT_NE(scope, containment.new_scope());
  const auto first = containment.enter(scope), second = containment.enter(scope);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->place.orphan_tag, second->place.orphan_tag);
  EXPECT_FALSE(first->cgroup_procs);
}

}  // namespace
}  // namespace outpost::local::testing
