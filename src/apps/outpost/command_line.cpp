#include "apps/outpost/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/limits/file_reads.h"
#include "base/limits/loops.h"
#include "base/limits/processes.h"

namespace outpost::apps {

namespace {

/// An option of seconds whose value goes to `into`.
CLI::Option* add_seconds(CLI::App& app, const std::string& name, std::chrono::milliseconds& into, double most,
                         const std::string& help) {
  return app
      .add_option_function<std::string>(
          name, [&into, name, most](const std::string& text) { into = parse_seconds(name, text, most); }, help)
      ->type_name("SECONDS");
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::size_t& into, std::size_t least, std::size_t most,
                       const std::string& help) {
  return app.add_option(name, into, help)->check(CLI::Range(least, most))->type_name("N");
}

void describe_serve(CLI::App& app, ServeOptions& options, std::size_t& concurrent) {
  app.add_option("--listen", options.listen,
                 "address to listen on, ws://IP:PORT; port 0 picks a free one; may be given several times "
                 "(default ws://127.0.0.1:0)")
      ->type_name("URL");
  app.add_flag("--allow-unauthenticated", options.allow_unauthenticated,
               "listen on an address that others can reach although anyone who reaches it may run commands");
  add_count(
      app, "--concurrent-requests", concurrent, 1, 1'000'000,
      "how many requests of a connection run at a time (default: no limit but 1024 in flight; 1: strictly in turn)");
  add_seconds(app, "--session-retention", options.server.session_retention, limits::option_seconds_max,
              "how long a session without a connection, and a closed process, are kept (default 80)");
  add_seconds(app, "--session-retention-max", options.server.session_retention_max, limits::option_seconds_max,
              "the most that a client may ask for (default 86400)");
  add_count(app, "--max-sessions", options.server.sessions_max, 1, 10'000'000,
            "sessions that may exist (default 4096)");
  add_count(app, "--max-processes-per-session", options.server.processes_per_session_max, 1, 10'000'000,
            "processes of one session that may run (default 1024)");
  add_count(app, "--max-processes", options.server.processes_max, 1, 10'000'000,
            "processes that may run in all (default 4096)");
  add_count(app, "--process-retention-max", options.processes.process_retention_max, limits::process_retention_least,
            limits::process_retention_ceiling,
            "bytes of output of one process that a client may ask to be kept (default 33554432)");
  app.add_option_function<std::string>(
         "--containment",
         [&options](const std::string& name) {
           const auto level = local::containment_level_of(name);
           if (!level) throw CLI::ValidationError("--containment", "must be cgroup, subreaper or group; got " + name);
           options.containment = *level;
         },
         "how far the end of a process reaches at most: cgroup (all it ever started), subreaper (all descendants), "
         "group (default cgroup, or the best that this machine has)")
      ->type_name("LEVEL");
  add_count(app, "--max-pending-connections", options.listener.pending_max, 1, 1'000'000,
            "connections that have not completed their upgrade (default 64)");
  add_seconds(app, "--handshake-timeout", options.listener.handshake_timeout, 3600,
              "how long a connection may take for its upgrade (default 10)");
  add_seconds(app, "--ping-interval", options.ping_interval, 3600, "pause between pings, 0 for none (default 20)");
  add_count(app, "--workers", options.file_workers, 1, limits::file_workers_ceiling,
            "threads for work on files that takes long or may hang (default 16)");
  app.add_flag_callback(
      "--no-environment-config", [&options] { options.server.environment_config = false; },
      "don't let clients read parts of this machine's configuration");
  add_count(app, "--loops", options.loops, 1, 256, "I/O threads; each session belongs to one (default 1)");
}

void describe_run(CLI::App& app, RunOptions& options) {
  app.add_option("--url", options.url, "server to run the command on, ws://HOST:PORT")->required()->type_name("URL");
  // One value each time: else CLI11 would take `[A=1,B=2]` apart.
  app.add_option("--env", options.env, "variable for the command, may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app.add_option("--cwd", options.cwd, "absolute folder on the far machine (default: where its server was started)")
      ->type_name("DIR");
  app.footer("The command and its arguments stand behind --: outpost run --url URL -- CMD [ARG]...");
}

/// What CLI11 can't say of single options; said here so that it is an error of the command line.
void check_serve(const ServeOptions& options, const std::vector<std::string>& behind_dashes) {
  if (!behind_dashes.empty()) throw CLI::ExtrasError("serve", behind_dashes);
  if (options.server.session_retention <= options.server.session_retention_max) return;
  throw CLI::ValidationError("--session-retention", "must not be above --session-retention-max");
}
void check_run(const RunOptions& options) {
  if (options.argv.empty()) throw CLI::ValidationError("CMD", "the command to run is missing; it goes behind --");
}

/// How many arguments are ours: those up to the first `--`. What stands behind it is the command's and never parsed,
/// since CLI11 takes words like `[a,b]` apart.
int own_arguments(int argc, char** argv) {
  return static_cast<int>(std::find(argv, argv + argc, std::string_view("--")) - argv);
}

/// The first argument, if it is neither an option nor a command.
std::string unknown_verb(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "-";
  const bool known = verb == "serve" || verb == "exec-server" || verb == "run" || verb == "doctor";
  return known || verb.starts_with('-') ? "" : verb;
}

}  // namespace

std::chrono::milliseconds parse_seconds(const std::string& option, const std::string& text, double most) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && end == text.c_str() + text.size() && std::isfinite(seconds);
  if (!number || seconds < 0 || seconds > most) {
    throw CLI::ValidationError(option, "must be seconds from 0 to " + std::to_string(static_cast<long>(most)) +
                                           ", fractions allowed; got " + text);
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::llround(seconds * 1000)));
}

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine command;
  std::size_t concurrent = 0;
  const int own = own_arguments(argc, argv);
  const bool cut = own < argc;
  if (const std::string verb = unknown_verb(own, argv); !verb.empty()) {
    std::fprintf(stderr, "outpost: there is no command %s; there are serve (or exec-server), run and doctor\n",
                 verb.c_str());
    command.exit_status = 2;
    return command;
  }
  CLI::App app{"Outpost runs an agent's commands on another machine.", "outpost"};
  app.set_version_flag("--version", "outpost " OUTPOST_VERSION " (protocol of codex exec-server 0.171.0)");
  app.require_subcommand(1);
  CLI::App* serve = app.add_subcommand("serve", "be the machine that commands run on");
  serve->alias("exec-server");
  describe_serve(*serve, command.serve, concurrent);
  CLI::App* run = app.add_subcommand("run", "run a command on a machine where `outpost serve` runs");
  describe_run(*run, command.run);
  CLI::App* doctor = app.add_subcommand("doctor",
                                        "say what this machine offers to `outpost serve`, and what to do "
                                        "about what is missing");
  try {
    app.parse(own, argv);
    if (cut) command.run.argv.assign(argv + own + 1, argv + argc);
    if (serve->parsed()) check_serve(command.serve, command.run.argv);
    if (run->parsed()) check_run(command.run);
  } catch (const CLI::ParseError& error) {
    const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool asked = code == CLI::ExitCodes::Success;
    app.exit(error);
    if (run->parsed() && !cut && code == CLI::ExitCodes::ExtrasError) {
      std::fprintf(stderr, "The command to run goes behind --\n");
    }
    command.exit_status = asked ? 0 : 2;
    return command;
  }
  if (concurrent != 0) command.serve.server.concurrent_requests = concurrent;
  command.verb = serve->parsed() ? Verb::serve : doctor->parsed() ? Verb::doctor : Verb::run;
  return command;
}

}  // namespace outpost::apps
