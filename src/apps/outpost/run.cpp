#include "apps/outpost/run.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "apps/outpost/stdin_source.h"
#include "base/uuid.h"
#include "client/client_session.h"
#include "os/io.h"
#include "os/resolve.h"
#include "os/signals.h"
#include "transport/websocket_connect.h"
#include "wire/path_uri.h"

namespace outpost::apps {

namespace {

constexpr int exit_not_run = 125;         // as `docker run`
constexpr int exit_not_executable = 126;  // as a shell
constexpr int exit_not_found = 127;
constexpr auto connect_timeout = std::chrono::seconds(10);

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

/// Writes all of `bytes`, waiting as long as it takes; so a slow reader of ours slows the far command.
bool write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const os::IoCount count = os::write_some(fd, bytes);
    if (count.status != os::IoCount::ok) return false;
    bytes = bytes.subspan(count.bytes);
  }
  return true;
}

class Runner {
 public:
  explicit Runner(RunOptions options) : options_(std::move(options)), resources_(loop_) {}

  int run() {
    os::ignore_broken_pipes();
    const auto url = transport::parse_ws_url(options_.url);
    if (!url) return report(url.error(), exit_not_run);
    auto addresses = os::resolve_host(url->host);
    if (!addresses) return report(addresses.error(), exit_not_run);
    if (const auto watched = watch_signals(); !watched) return report(watched.error(), exit_not_run);
    url_ = *url;
    addresses_ = *std::move(addresses);
    connect(0);
    loop_.run();
    return exit_status_;
  }

 private:
  static int report(const Error& error, int status) {
    std::fprintf(stderr, "outpost: %s\n", error.message.c_str());
    return status;
  }

  void end(int status) {
    if (!std::exchange(ended_, true)) exit_status_ = status;
    loop_.stop();
  }
  void give_up(const Error& error, int status = exit_not_run) { end(report(error, status)); }

  void connect(std::size_t index) {
    transport::connect_websocket(resources_, addresses_[index], url_, connect_timeout,
                                 [this, index](Result<std::unique_ptr<channel::Channel>> channel) {
                                   if (channel) return open(*std::move(channel));
                                   if (index + 1 < addresses_.size()) return connect(index + 1);
                                   give_up(channel.error());
                                 });
  }

  void open(std::unique_ptr<channel::Channel> channel) {
    session_ = std::make_unique<client::ClientSession>(std::move(channel));
    session_->open("outpost run", [this](Result<wire::InitializeResult> opened) {
      if (!opened) return give_up(opened.error());
      start(opened->environment_info.value_or(wire::EnvironmentInfo{}));
    });
  }

  void start(const wire::EnvironmentInfo& far) {
    auto params = start_params(options_, far);
    if (!params) return give_up(params.error());
    id_ = params->process_id;
    params->pipe_stdin = !stdin_is_empty();
    const bool can_close =
        far.outpost && std::ranges::find(far.outpost->features, "process.closeStdin") != far.outpost->features.end();
    client::ProcessEvents events{.on_event = [this](const client::ProcessEvent& event) { on_event(event); },
                                 .on_failure = [this](const Error& error) { give_up(error); }};
    session_->start(*params, std::move(events),
                    [this, can_close, piped = bool(params->pipe_stdin)](Result<wire::StartResult> started) {
                      if (!started) {
                        const ErrorKind kind = started.error().kind;
                        return give_up({kind, "cannot run " + options_.argv.front() + ": " + started.error().message},
                                       kind == ErrorKind::spawn_not_found ? exit_not_found
                                       : kind == ErrorKind::spawn_permission || kind == ErrorKind::spawn_failed
                                           ? exit_not_executable
                                           : exit_not_run);
                      }
                      if (piped) stdin_ = std::make_unique<StdinSource>(loop_, *session_, id_, can_close);
                    });
  }

  void on_event(const client::ProcessEvent& event) {
    using Kind = client::ProcessEvent::Kind;
    if (event.kind == Kind::exited) command_status_ = event.exit_code;
    if (event.kind == Kind::closed) return end(command_status_);
    if (event.kind != Kind::output) return;
    const int fd = event.stream == wire::OutputStream::stderr ? STDERR_FILENO : STDOUT_FILENO;
    if (write_all(fd, event.bytes.view())) return;
    // Nobody reads our output any more, as when `head` has seen enough: the command ends as it would here.
    session_->terminate(id_, [this] { end(128 + SIGPIPE); });
  }

  Result<> watch_signals() {
    signals_ = OUTPOST_TRY(os::watch_signals({SIGINT, SIGTERM, SIGHUP}));
    signal_watch_ = std::make_unique<Watch>(loop_, signals_.get(), [this] { on_signal(); });
    signal_watch_->wait_readable();
    return {};
  }

  void on_signal() {
    while (const auto signal = os::next_signal(signals_.get())) {
      if (!session_ || id_.empty()) return end(128 + *signal);
      // The first ^C is the command's to handle; a second one, or any other end of ours, ends it for sure.
      if (*signal == SIGINT && !std::exchange(interrupted_, true)) {
        session_->interrupt(id_);
      } else {
        session_->terminate(id_, [this, signal = *signal] { end(128 + signal); });
      }
    }
    signal_watch_->wait_readable();
  }

  RunOptions options_;
  Loop loop_;
  transport::LoopResources resources_;
  transport::WsUrl url_;
  std::vector<std::string> addresses_;
  std::unique_ptr<client::ClientSession> session_;
  std::unique_ptr<StdinSource> stdin_;
  os::FileDescriptor signals_;
  std::unique_ptr<Watch> signal_watch_;
  std::string id_;
  int command_status_ = exit_not_run;
  int exit_status_ = exit_not_run;
  bool ended_ = false, interrupted_ = false;
};

}  // namespace

int run(RunOptions options) {
  return std::make_unique<Runner>(std::move(options))->run();
}

}  // namespace outpost::apps
