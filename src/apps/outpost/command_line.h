#pragma once

#include "apps/outpost/run.h"
#include "apps/outpost/serve.h"

namespace outpost::apps {

enum class Verb { none, serve, run, doctor };

struct CommandLine {
  Verb verb = Verb::none;
  int exit_status = 0;  ///< with `Verb::none`: help was printed (0) or the arguments make no sense (2)
  ServeOptions serve;
  RunOptions run;
};

/// Parses the arguments. Help, version and errors are printed here; an error names the argument and what would be
/// right.
CommandLine parse_command_line(int argc, char** argv);

/// A number of seconds, fractions allowed, as milliseconds; throws CLI11's validation error naming `option` if it isn't
/// one from 0 to `most` seconds.
std::chrono::milliseconds parse_seconds(const std::string& option, const std::string& text, double most);

}  // namespace outpost::apps
