#include "apps/outpost/command_line.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

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
  add_count(app, "--max-pending-connections", options.listener.pending_max, 1, 1'000'000,
            "connections that have not completed their upgrade (default 64)");
  add_seconds(app, "--handshake-timeout", options.listener.handshake_timeout, 3600,
              "how long a connection may take for its upgrade (default 10)");
  add_seconds(app, "--ping-interval", options.ping_interval, 3600, "pause between pings, 0 for none (default 20)");
  add_count(app, "--loops", options.loops, 1, 256, "I/O threads; each session belongs to one (default 1)");
}

void describe_run(CLI::App& app, RunOptions& options) {
  app.add_option("--url", options.url, "server to run the command on, ws://HOST:PORT")->required()->type_name("URL");
  app.add_option("--env", options.env, "variable for the command, may be given several times")->type_name("NAME=VALUE");
  app.add_option("--cwd", options.cwd, "absolute folder on the far machine (default: where its server was started)")
      ->type_name("DIR");
  app.add_option("command", options.argv, "the command and its arguments, behind --")->required()->type_name("CMD");
  app.positionals_at_end();
}

/// Retention may not be longer than its maximum; said here so that it is an error of the command line.
void check_serve(const ServeOptions& options) {
  if (options.server.session_retention <= options.server.session_retention_max) return;
  throw CLI::ValidationError("--session-retention", "must not be above --session-retention-max");
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
  CLI::App app{"Outpost runs an agent's commands on another machine.", "outpost"};
  app.set_version_flag("--version", "outpost " OUTPOST_VERSION " (protocol of codex exec-server 0.171.0)");
  app.require_subcommand(1);
  CLI::App* serve = app.add_subcommand("serve", "be the machine that commands run on");
  serve->alias("exec-server");
  describe_serve(*serve, command.serve, concurrent);
  CLI::App* run = app.add_subcommand("run", "run a command on a machine where `outpost serve` runs");
  describe_run(*run, command.run);
  try {
    app.parse(argc, argv);
    if (serve->parsed()) check_serve(command.serve);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    command.exit_status = asked ? 0 : 2;
    return command;
  }
  if (concurrent != 0) command.serve.server.concurrent_requests = concurrent;
  command.verb = serve->parsed() ? Verb::serve : Verb::run;
  return command;
}

}  // namespace outpost::apps
