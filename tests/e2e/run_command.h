#pragma once

#include <gtest/gtest.h>

#include "support/program.h"

namespace outpost::testing {

/// `outpost run` against a server of its own.
class RunCommand : public ::testing::Test {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> command) const {
    command.insert(command.begin(), {"run", "--url", server.url(), "--"});
    return command;
  }
  TestServer server;
};

}  // namespace outpost::testing
