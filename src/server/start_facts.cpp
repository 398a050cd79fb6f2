#include "server/start_facts.h"

#include <chrono>

#include "base/limits/processes.h"
#include "base/utf8.h"

namespace outpost::server {

StartFacts::StartFacts(const wire::StartParams& params)
    : tty(params.tty),
      gave_outpost(params.outpost.given),
      started_at_ms(
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count()) {
  std::size_t left = limits::listed_argv_bytes_max;
  for (const std::string& argument : params.argv) {
    argv.emplace_back(utf8_prefix(argument, left));
    argv_truncated = argv.back().size() < argument.size();
    left -= argv.back().size();
    if (argv_truncated || left == 0) break;
  }
  argv_truncated |= argv.size() < params.argv.size();
}

}  // namespace outpost::server
