#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/program.h"

namespace outpost {
namespace {

TEST(DoctorCommand, SaysALineForEachThing) {
  const auto result = testing::run_program({"doctor"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors, "");
  std::istringstream lines(result.output);
  for (const char* thing : {"kernel", "pidfd", "containment", "user namespaces", "bubblewrap", "Landlock"}) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line)) << thing;
    EXPECT_TRUE(line.starts_with("ok       ") || line.starts_with("missing  ")) << line;
    EXPECT_EQ(line.find(std::string(thing) + ": "), 9u) << line;
  }
  EXPECT_TRUE(lines.peek() == EOF);
}

}  // namespace
}  // namespace outpost
