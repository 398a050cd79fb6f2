#include <cstdio>
#include <exception>

#include "apps/outpost/command_line.h"
#include "apps/outpost/doctor.h"
#include "apps/outpost/run.h"
#include "apps/outpost/serve.h"
#include "os/launch.h"
#include "os/machine.h"

namespace {

int dispatch(outpost::apps::CommandLine& command) {
  switch (command.verb) {
    case outpost::apps::Verb::serve:
      return outpost::apps::serve(std::move(command.serve));
    case outpost::apps::Verb::run:
      return outpost::apps::run(std::move(command.run));
    case outpost::apps::Verb::doctor:
      return outpost::apps::doctor();
    case outpost::apps::Verb::none:
      return command.exit_status;
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  outpost::os::fill_standard_descriptors();
  try {
    outpost::os::configure_name_services();
    auto command = outpost::apps::parse_command_line(argc, argv);
    return dispatch(command);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "outpost: internal error: %s\n", fault.what());
    return 70;
  }
}
