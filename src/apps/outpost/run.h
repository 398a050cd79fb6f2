#pragma once

#include <string>
#include <vector>

namespace outpost::apps {

/// What `outpost run` was told on the command line.
struct RunOptions {
  std::string url;
  std::vector<std::string> env;  ///< `NAME=VALUE`
  std::string cwd;               ///< native absolute folder of the far machine; empty: where its server was started
  std::vector<std::string> argv;
};

/// Runs a command on a far machine: its output comes out here, stdin goes there, and the exit status is the command's.
/// 125 when it could not be run at all, with a line on stderr that says why.
int run(RunOptions options);

}  // namespace outpost::apps
