#include "apps/outpost/run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/outpost/run_connect.h"
#include "apps/outpost/run_output.h"
#include "apps/outpost/stdin_source.h"
#include "base/limits/clients.h"
#include "base/uuid.h"
#include "base/watch.h"
#include "client/client_session.h"
#include "os/launch.h"
#include "os/resolve.h"
#include "os/signals.h"
#include "wire/path_uri.h"

namespace outpost::apps {

namespace {

constexpr int exit_not_run = 125;         // as `docker run`
constexpr int exit_not_executable = 126;  // as a shell
constexpr int exit_not_found = 127;

/// The command's environment: the far machine's own, less what may be secret, our terminal's type, and what was asked
/// for.
Result<wire::StartParams> start_params(const RunOptions& options, const wire::EnvironmentInfo& far) {
  wire::StartParams params;
  params.process_id = random_uuid_v4();
  params.argv = options.argv;
  if (!options.cwd.empty()) {
    if (!options.cwd.starts_with('/')) return fail(ErrorKind::invalid_input, "--cwd must be an absolute folder");
    params.cwd.text = wire::uri_from_path(options.cwd);
  } else {
    params.cwd = far.cwd.value_or(wire::PathUri{"file:///"});
  }
  params.env_policy = wire::EnvPolicy{};
  if (const char* term = std::getenv("TERM")) params.env["TERM"] = term;
  for (const std::string& variable : options.env) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorKind::invalid_input, "--env " + variable + " is not of the form NAME=VALUE");
    }
    params.env[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  return params;
}

int exit_status_of(ErrorKind failed_start) {
  switch (failed_start) {
    case ErrorKind::spawn_not_found:
      return exit_not_found;
    case ErrorKind::spawn_permission:
    case ErrorKind::spawn_failed:
      return exit_not_executable;
    default:
      return exit_not_run;
  }
}

/// What is wrong with a folder that the far machine was asked about; empty: nothing that would be seen.
std::string folder_problem(const Result<wire::GetMetadataResult>& found) {
  if (!found) return found.error().kind == ErrorKind::not_found ? "no such folder on the far machine" : "";
  return found->is_directory ? "" : "not a folder on the far machine";
}

class Runner {
 public:
  explicit Runner(RunOptions options) : options_(std::move(options)), resources_(loop_) {}

  int run() {
    os::ignore_broken_pipes();
    const auto url = transport::parse_ws_url(options_.url);
    if (!url) return report(url.error());
    auto addresses = os::resolve_host(url->host);
    if (!addresses) return report(addresses.error());
    if (const auto watched = watch_signals(); !watched) return report(watched.error());
    connector_.emplace(resources_, *url, *std::move(addresses),
                       [this](Result<std::unique_ptr<channel::Channel>> opened) {
                         if (!opened) return give_up(opened.error().message);
                         open(*std::move(opened));
                       });
    loop_.run();
    return exit_status_;
  }

 private:
  static int report(const Error& error) {
    std::fprintf(stderr, "outpost: %s\n", error.message.c_str());
    return exit_not_run;
  }
  /// A line for people, behind the output that came before it.
  void say(const std::string& text) {
    output_.write(RunOutput::Stream::errors, Bytes::copy_of(as_bytes("outpost: " + text + "\n")));
  }

  /// Nothing more comes; what came is still written, for as long as our readers need and no signal says otherwise.
  void end(int status) {
    if (std::exchange(ended_, true)) return;
    exit_status_ = status;
    if (output_.drained()) loop_.stop();
  }
  void end_now(int status) {
    ended_ = true;
    exit_status_ = status;
    loop_.stop();
  }
  void give_up(const std::string& text, int status = exit_not_run) {
    if (ended_) return;
    say(text);
    end(status);
  }
  /// Ends the command, and us with it: when it has ended, or soon though the far machine doesn't answer.
  void terminate(int status) {
    if (std::exchange(terminating_, true)) return;
    session_->set_reading(true);
    deadline_.start(limits::run_end_wait, [this, status] { end_now(status); });
    session_->terminate(id_, [this, status] { end(status); });
  }

  void open(std::unique_ptr<channel::Channel> channel) {
    session_.emplace(std::move(channel));
    session_->open("outpost run", [this](Result<wire::InitializeResult> opened) {
      if (!opened) return give_up(opened.error().message);
      start(opened->environment_info.value_or(wire::EnvironmentInfo{}));
    });
  }

  void start(const wire::EnvironmentInfo& far) {
    auto params = start_params(options_, far);
    if (!params) return give_up(params.error().message);
    id_ = params->process_id;
    params->pipe_stdin = !is_empty_input(STDIN_FILENO);
    can_close_stdin_ =
        far.outpost && std::ranges::find(far.outpost->features, "process.closeStdin") != far.outpost->features.end();
    client::ProcessEvents events{.on_event = [this](client::ProcessEvent&& event) { on_event(std::move(event)); },
                                 .on_failure = [this](const Error& error) { give_up(error.message); }};
    session_->start(*params, std::move(events),
                    [this, cwd = params->cwd, piped = bool(params->pipe_stdin)](Result<wire::StartResult> started) {
                      if (!started) return on_not_started(started.error(), cwd);
                      if (piped) carry_stdin();
                    });
  }

  /// A missing folder and a missing program look alike.
  void on_not_started(const Error& error, const wire::PathUri& cwd) {
    const int status = exit_status_of(error.kind);
    const std::string text = "cannot run " + options_.argv.front() + ": " + error.message;
    if (options_.cwd.empty() || status == exit_not_run) return give_up(text, status);
    session_->get_metadata(cwd, [this, text, status](const Result<wire::GetMetadataResult>& found) {
      const std::string problem = folder_problem(found);
      if (problem.empty()) return give_up(text, status);
      give_up("--cwd " + options_.cwd + ": " + problem);
    });
  }

  void carry_stdin() {
    StdinSource::Settings settings{
        .fd = STDIN_FILENO, .can_close = can_close_stdin_, .on_end_lost = [this] {
          say("this server can't pass on the end of stdin: a command that waits for it has to be ended");
        }};
    stdin_.emplace(loop_, *session_, id_, std::move(settings));
  }

  void on_event(client::ProcessEvent&& event) {
    using Kind = client::ProcessEvent::Kind;
    if (event.kind == Kind::exited) command_status_ = event.exit_code;
    if (event.kind == Kind::closed) return end(command_status_);
    // Once the command is being ended everything is read, for its last word; that must not fill our memory.
    if (event.kind != Kind::output || output_failed_ || (terminating_ && output_.full())) return;
    const bool errors = event.stream == wire::OutputStream::stderr;
    output_.write(errors ? RunOutput::Stream::errors : RunOutput::Stream::output, std::move(event.bytes));
    // So a slow reader of ours slows the far command.
    if (!terminating_ && output_.full()) session_->set_reading(false);
  }

  void on_stdout_failed(int error) {
    output_failed_ = true;
    // Nobody reads our output any more, as when `head` has seen enough: the command ends as it would here.
    const bool nobody_reads = error == EPIPE;
    if (!nobody_reads) say("cannot write to stdout: " + os_error_text(error));
    const int status = nobody_reads ? 128 + SIGPIPE : exit_not_run;
    if (ended_) {
      exit_status_ = status;
    } else {
      terminate(status);
    }
  }

  Result<> watch_signals() {
    signals_ = OUTPOST_TRY(os::watch_heeded_signals({SIGINT, SIGTERM, SIGHUP}));
    signal_watch_.emplace(loop_, signals_.get(), [this] { on_signals(); });
    signal_watch_->wait_readable();
    return {};
  }

  void on_signals() {
    while (const auto signal = os::next_signal(signals_.get())) on_signal(*signal);
    signal_watch_->wait_readable();
  }

  void on_signal(int signal) {
    const int status = 128 + signal;
    if (!session_ || id_.empty() || ended_ || terminating_) return end_now(status);
    // The first ^C is the command's to handle; a second one soon after it, or any other end of ours, ends it for sure.
    if (signal != SIGINT || interrupted_.running()) return terminate(status);
    session_->interrupt(id_);
    interrupted_.start(limits::interrupt_again, [] {});
  }

  RunOptions options_;
  Loop loop_;
  transport::LoopResources resources_;
  RunOutput output_{loop_,
                    {.output = STDOUT_FILENO, .errors = STDERR_FILENO},
                    {.on_room =
                         [this] {
                           if (session_) session_->set_reading(true);
                         },
                     .on_drained =
                         [this] {
                           if (ended_) loop_.stop();
                         },
                     .on_stdout_failed = [this](int error) { on_stdout_failed(error); }}};
  Timer interrupted_{loop_};  // runs while another ^C ends the command
  Timer deadline_{loop_};
  std::optional<Connector> connector_;
  std::optional<client::ClientSession> session_;
  std::optional<StdinSource> stdin_;
  os::FileDescriptor signals_;
  std::optional<Watch> signal_watch_;
  std::string id_;
  int command_status_ = exit_not_run;
  int exit_status_ = exit_not_run;
  bool can_close_stdin_ = false;
  bool ended_ = false, terminating_ = false, output_failed_ = false;
};

}  // namespace

int run(RunOptions options) {
  return std::make_unique<Runner>(std::move(options))->run();
}

}  // namespace outpost::apps
