// Nothing that a process ever started outlives it when it is ended, at every level of containment that this machine
// has: four ways to end it, four ways to get away.
#include <gtest/gtest.h>

#include <filesystem>

#include "os/cgroup.h"
#include "os/files.h"
#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::StartOptions;
using testing::TestClient;
using testing::TestServer;

enum class End { terminate, session_end, server_term, server_kill };
enum class Form { plain, setsid, double_fork, terminal };

struct Case {
  const char* level;
  End end;
  Form form;
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const char* const ends[] = {"Terminate", "SessionEnd", "ServerTerm", "ServerKill"};
  const char* const forms[] = {"Plain", "Setsid", "DoubleFork", "Terminal"};
  return std::string(info.param.level) + ends[static_cast<int>(info.param.end)] +
         forms[static_cast<int>(info.param.form)];
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* level : {"cgroup", "subreaper"}) {
    for (const End end : {End::terminate, End::session_end, End::server_term, End::server_kill}) {
      for (const Form form : {Form::plain, Form::setsid, Form::double_fork, Form::terminal}) {
        cases.push_back({level, end, form});
      }
    }
  }
  return cases;
}

/// A script whose leader goes on and that prints the number of a process which tries to get away.
std::string script_of(Form form) {
  constexpr auto fugitive = "trap '' HUP TERM INT; echo $$; exec sleep 1000";
  switch (form) {
    case Form::plain:
      return "bash -c \"" + std::string(fugitive) + "\" & sleep 1000";
    case Form::setsid:
    case Form::terminal:
      return "setsid bash -c \"" + std::string(fugitive) + "\" & sleep 1000";
    case Form::double_fork:
      return "(setsid bash -c \"" + std::string(fugitive) + "\" &) ; sleep 1000";
  }
  return {};
}

class TreeEnd : public ::testing::TestWithParam<Case> {
 protected:
  /// The level that the server says is in force.
  static std::string level_of(TestClient& client) {
    const auto info = client.call<wire::EnvironmentInfo>("environment/info", wire::NoParams{});
    return info && info->outpost ? info->outpost->containment : "none told";
  }
};

TEST_P(TreeEnd, LeavesNothing) {
  const Case& test = GetParam();
  TestServer server({"--containment", test.level, "--session-retention", "0"});
  TestClient client(server.port());
  client.handshake();
  if (const std::string level = level_of(client); level != test.level) {
    GTEST_SKIP() << "this machine has no level " << test.level << ", the server uses " << level;
  }
  client.shell("p", script_of(test.form), {.tty = test.form == Form::terminal});
  const auto said = [&]() -> const std::string& {
    return test.form == Form::terminal ? client.followed("p").pty : client.followed("p").out;
  };
  ASSERT_TRUE(client.wait_until([&] { return said().ends_with("\n"); }));
  const auto fugitive = testing::open_process(static_cast<pid_t>(std::stol(said())));

  switch (test.end) {
    case End::terminate:
      EXPECT_NE(client.ask("process/terminate", R"({"processId":"p"})").find("\"running\":true"), std::string::npos);
      EXPECT_EQ(client.wait_closed("p").exit_code, test.form == Form::terminal ? 1 : 137);
      break;
    case End::session_end:
      client.close();
      break;
    case End::server_term:
      server.guard().signal(SIGTERM);
      break;
    case End::server_kill:
      ::kill(server.server_pid(), SIGKILL);
      break;
  }
  EXPECT_TRUE(testing::wait_for_death(fugitive));
}

INSTANTIATE_TEST_SUITE_P(All, TreeEnd, ::testing::ValuesIn(all_cases()), name_of_case);

class DaemonEnd : public ::testing::TestWithParam<const char*> {};

TEST_P(DaemonEnd, ComesWithItsSessionAndNotWithATerminateOfItsEndedLeader) {
  TestServer server({"--containment", GetParam()});
  auto client = std::make_unique<TestClient>(server.port());
  client->handshake();
  client->shell("p", "setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $!");
  const auto& process = client->wait_closed("p");
  const auto daemon = testing::open_process(static_cast<pid_t>(std::stol(process.out)));
  EXPECT_NE(client->ask("process/terminate", R"({"processId":"p"})").find("\"running\":false"), std::string::npos);
  // Another command runs meanwhile, and ends: it isn't that one's.
  client->run_shell("q", "true");
  EXPECT_FALSE(testing::wait_readable(daemon.get(), 0)) << "a server that a command left running lives on";
  server.guard().signal(SIGTERM);
  EXPECT_TRUE(testing::wait_for_death(daemon));
}

INSTANTIATE_TEST_SUITE_P(Levels, DaemonEnd, ::testing::Values("cgroup", "subreaper", "group"),
                         [](const auto& info) { return std::string(info.param); });

TEST(TreeEndOfOne, LeavesTheOtherProcessesOfItsSessionAlone) {
  for (const char* level : {"cgroup", "subreaper"}) {
    TestServer server({"--containment", level});
    TestClient client(server.port());
    client.handshake();
    client.shell("kept", "(setsid bash -c 'echo $$; exec sleep 1000' &); sleep 1000");
    client.shell("ended", "(setsid bash -c 'echo $$; exec sleep 1000' &); sleep 1000");
    for (const char* id : {"kept", "ended"}) {
      ASSERT_TRUE(client.wait_until([&] { return client.followed(id).out.ends_with("\n"); }));
    }
    const auto kept = testing::open_process(static_cast<pid_t>(std::stol(client.followed("kept").out)));
    const auto ended = testing::open_process(static_cast<pid_t>(std::stol(client.followed("ended").out)));
    client.ask("process/terminate", R"({"processId":"ended"})");
    EXPECT_TRUE(testing::wait_for_death(ended)) << level;
    EXPECT_FALSE(testing::wait_readable(kept.get(), 0)) << level;
  }
}

/// The folder of a server's cgroups, as the kernel names it for one of its processes; empty if it uses none.
std::string cgroup_folder_of_server(const std::string& pid) {
  const auto memberships = os::read_small_file(("/proc/" + pid + "/cgroup").c_str());
  const auto mounts = os::read_small_file("/proc/self/mountinfo");
  if (!memberships || !mounts) return {};
  const std::string own = os::cgroup_folder_of(*memberships, *mounts);
  const auto name = own.find("/outpost-");
  return name == std::string::npos ? "" : own.substr(0, own.find('/', name + 1));
}

TEST(CgroupFolder, IsGoneWithItsServerHoweverThatEnds) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    TestServer server;
    TestClient client(server.port());
    client.handshake();
    client.shell("p", "echo $$; exec sleep 1000");
    ASSERT_TRUE(client.wait_until([&] { return client.followed("p").out.ends_with("\n"); }));
    const std::string pid = client.followed("p").out;
    const std::string folder = cgroup_folder_of_server(pid.substr(0, pid.size() - 1));
    if (folder.empty()) GTEST_SKIP() << "no writable cgroup v2 on this machine";
    EXPECT_TRUE(std::filesystem::exists(folder)) << folder;
    ::kill(signal == SIGKILL ? server.server_pid() : server.guard().pid(), signal);
    server.guard().wait();
    EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
  }
}

}  // namespace
}  // namespace outpost
