// R06: one in some thousand very short commands returned no output.
#include "report.h"

namespace outpost {

TEST_F(Report, R06ShortCommandsNeverLoseTheirOutput) {
  constexpr int commands = 2000, batch = 20;
  for (int first = 0; first < commands; first += batch) {
    for (int i = first; i < first + batch; ++i) {
      const std::string name = std::to_string(i);
      client.request("process/start", client.start_params(name, {"/bin/echo", "x" + name}));
    }
    for (int i = first; i < first + batch; ++i) {
      const std::string name = std::to_string(i);
      const auto& process = client.wait_closed(name);
      ASSERT_EQ(process.out, "x" + name + "\n");
      ASSERT_EQ(process.events, (Texts{"output stdout", "exited 0", "closed"}));
    }
  }
}

}  // namespace outpost
