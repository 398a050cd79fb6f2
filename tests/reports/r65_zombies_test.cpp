// R65: ended children are reaped, those that others left to the server too.
#include <algorithm>

#include "report.h"

namespace outpost {
namespace {

std::ptrdiff_t children_of(pid_t parent) {
  return std::ranges::count(os::list_processes(), parent, &os::ProcessEntry::parent);
}

}  // namespace

TEST_F(Report, R65NothingEndedStaysBehind) {
  for (int i = 0; i < 60; ++i) client.start("true" + std::to_string(i), {"/bin/true"});
  for (int i = 0; i < 60; ++i) client.wait_closed("true" + std::to_string(i));
  EXPECT_EQ(client.run_shell("p", "((sleep 0.3; exit 0) &)").exit_code, 0);
  // The reaping of an orphan is told to nobody, so it is looked for until a failing test gives up.
  const pid_t pids[] = {server.server_pid(), server.guard().pid()};
  int looks = 0;
  while (children_of(pids[0]) > 0 && ++looks < 600) EXPECT_EQ(::poll(nullptr, 0, 100), 0);
  EXPECT_EQ(children_of(pids[0]), 0);
  EXPECT_EQ(children_of(pids[1]), 1);  // the server
}

}  // namespace outpost
