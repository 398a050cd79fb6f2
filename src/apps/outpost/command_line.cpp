#include "apps/outpost/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/limits/file_reads.h"
#include "base/limits/loops.h"
#include "base/limits/processes.h"
#include "base/limits/receipts.h"

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

void describe_log(CLI::App& app, StderrLog::Settings& log) {
  using telemetry::LogLevel;
  app.add_option_function<std::string>(
         "--log-level",
         [&log](const std::string& name) {
           for (const LogLevel level :
                {LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug, LogLevel::trace}) {
             if (name == telemetry::name_of(level)) {
               log.level = level;
               return;
             }
           }
           throw CLI::ValidationError("--log-level", "must be error, warn, info, debug or trace; got " + name);
         },
         "what is logged on stderr: error, warn, info, debug or trace (default info)")
      ->type_name("LEVEL");
  app.add_option_function<std::string>(
         "--log-format",
         [&log](const std::string& name) {
           if (name != "text" && name != "json") {
             throw CLI::ValidationError("--log-format", "must be text or json; got " + name);
           }
           log.format = name == "json" ? telemetry::LogFormat::json : telemetry::LogFormat::text;
         },
         "text or json, a line an event (default text)")
      ->type_name("FORMAT");
}

void describe_auth(CLI::App& app, server::WebsocketAuthOptions& auth) {
  using Mode = server::WebsocketAuthOptions::Mode;
  app.add_option_function<std::string>(
         "--ws-auth",
         [&auth](const std::string& name) {
           if (name == "capability-token") {
             auth.mode = Mode::capability_token;
           } else if (name == "signed-bearer-token") {
             auth.mode = Mode::signed_bearer_token;
           } else {
             throw CLI::ValidationError("--ws-auth", "must be capability-token or signed-bearer-token; got " + name);
           }
         },
         "what a client must show: capability-token, or signed-bearer-token (a JWT)")
      ->type_name("MODE");
  const auto add_texts = [&app](const char* name, std::vector<std::string>& into, const char* help) {
    return app.add_option(name, into, help)->allow_extra_args(false);
  };
  add_texts("--ws-token-file", auth.token_files, "file that holds a capability token; may be given several times")
      ->type_name("PATH");
  add_texts("--ws-token-sha256", auth.token_sha256, "SHA-256 of a capability token; may be given several times")
      ->type_name("HEX");
  app.add_option("--ws-shared-secret-file", auth.shared_secret_file, "file with the secret that signs the JWTs (HS256)")
      ->type_name("PATH");
  app.add_option("--ws-issuer", auth.issuer, "what `iss` of a JWT must be")->type_name("TEXT");
  app.add_option("--ws-audience", auth.audience, "what `aud` of a JWT must be or hold")->type_name("TEXT");
  app.add_option("--ws-max-clock-skew-seconds", auth.clock_skew_seconds,
                 "how far the clock of who issues JWTs may be off (default 30)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
}

void describe_connections(CLI::App& app, ServeOptions& options) {
  app.add_option(
         "--listen", options.listen,
         "where to listen: ws://IP:PORT or wss://IP:PORT (port 0 picks a free one), unix:///PATH, fd:// (sockets "
         "of a service manager), or stdio alone; may be given several times (default ws://127.0.0.1:0)")
      ->type_name("URL");
  app.add_flag("--allow-unauthenticated", options.allow_unauthenticated,
               "listen on an address that others can reach although anyone who reaches it may run commands");
  describe_auth(app, options.auth);
  app.add_option("--tls-cert", options.tls.certificate, "certificate and chain for wss://, PEM; read anew on SIGHUP")
      ->type_name("PEM");
  app.add_option("--tls-key", options.tls.key, "key of the certificate, PEM, not encrypted")->type_name("PEM");
  app.add_flag_callback(
      "--exit-on-stdin-close",
      [] { throw CLI::ValidationError("--exit-on-stdin-close", "needs --remote, which this version doesn't have"); },
      "belongs to --remote, and is refused without it");
  add_count(app, "--max-pending-connections", options.pending.pending_max, 1, 1'000'000,
            "connections that have not completed their upgrade (default 64)");
  add_seconds(app, "--handshake-timeout", options.pending.handshake_timeout, 3600,
              "how long a connection may take for its upgrade (default 10)");
  add_seconds(app, "--ping-interval", options.server.ping_interval, 3600,
              "pause between pings; a client that is silent for three is dropped; 0 for none (default 20)");
  app.add_option_function<std::size_t>(
         "--resume-probe-ms",
         [&options](std::size_t value) { options.server.resume_probe = std::chrono::milliseconds(value); },
         "how long a connection may take to show that it lives when its session is asked for; 0: it isn't asked "
         "(default 2000)")
      ->check(CLI::Range(std::size_t{0}, limits::resume_probe_max_ms))
      ->type_name("MS");
}

void describe_bounds(CLI::App& app, ServeOptions& options, std::size_t& concurrent) {
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
  app.add_option("--process-retention-max", options.processes.process_retention_max,
                 "bytes of output of one process that a client may ask to be kept (default 32M)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(limits::process_retention_least, limits::process_retention_ceiling))
      ->type_name("BYTES");
  app.add_option("--retained-bytes-max", options.retained_bytes_max,
                 "bytes of output that all processes together may keep; beyond it closed ones are forgotten, and then "
                 "programs wait (default 1G)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(limits::retained_bytes_everywhere_least, limits::retained_bytes_everywhere_most))
      ->type_name("BYTES");
}

void describe_serve(CLI::App& app, ServeOptions& options, std::size_t& concurrent) {
  describe_connections(app, options);
  describe_bounds(app, options, concurrent);
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
  add_count(app, "--workers", options.file_workers, 1, limits::file_workers_ceiling,
            "threads for work on files that takes long or may hang (default 16)");
  app.add_flag_callback(
      "--no-environment-config", [&options] { options.server.environment_config = false; },
      "don't let clients read parts of this machine's configuration");
  add_count(app, "--loops", options.loops, 1, 256, "I/O threads; each session belongs to one (default 1)");
  describe_log(app, options.log);
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
