#include "local/process/local_process_host.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "local/process/environment.h"
#include "local/process/local_process.h"
#include "os/cgroup.h"
#include "os/files.h"
#include "os/io.h"
#include "os/machine.h"
#include "os/terminal.h"
#include "wire/path_uri.h"

namespace outpost::local {

using capability::StartDone;
using capability::StartedProcess;

namespace {

bool holds_nul(const wire::StartParams& params) {
  const auto has = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  for (const auto& argument : params.argv) {
    if (has(argument)) return true;
  }
  for (const auto& [name, value] : params.env) {
    if (has(name) || has(value)) return true;
  }
  if (params.env_policy) {
    for (const auto& [name, value] : params.env_policy->set) {
      if (has(name) || has(value)) return true;
    }
  }
  return params.arg0 && has(*params.arg0);
}

Result<std::string> working_folder(const std::string& uri) {
  Result<std::string> path = wire::path_from_uri(uri);
  // A URI of another kind of host is an invalid request for files, but invalid params here, and names the field.
  if (!path && path.error().kind == ErrorKind::invalid_input) {
    return fail(ErrorKind::invalid_params,
                "cwd URI `" + uri + "` is not valid on this exec-server host: " + path.error().message);
  }
  return path;
}

/// Limits are never dropped in silence (extensions 4.4).
Error unavailable_limits() {
  const Result<std::string> folder = os::own_cgroup();
  std::string reason = "process limits are unavailable: ";
  if (!folder) {
    reason += folder.error().message;
  } else if (const int error = os::write_access(*folder); error != 0) {
    reason += "cgroup v2 is not writable at " + *folder + ": " + os_error_text(error);
  } else {
    reason += "this version makes no use of the cgroup controllers at " + *folder;
  }
  return {ErrorKind::unavailable, std::move(reason)};
}

/// The name that a start on a terminal looks up in PATH; empty if it looks nothing up.
std::string terminal_lookup(const wire::StartParams& params) {
  const std::string& program = params.argv.front();
  return params.tty && !program.contains('/') ? program : std::string();
}

os::SpawnRequest spawn_request(const wire::StartParams& params, std::string folder,
                               const std::vector<std::string>& server_environment) {
  os::SpawnRequest request;
  request.program = params.argv.front();
  request.argv = params.argv;
  if (params.arg0) request.argv.front() = *params.arg0;
  request.environment = child_environment(params, server_environment);
  request.cwd = std::move(folder);
  return request;
}

}  // namespace

LocalProcessHost::LocalProcessHost(Loop& loop, os::SpawnThread& spawn_thread, Containment& containment,
                                   Settings settings)
    : resources_{.loop = loop,
                 .spawn_thread = spawn_thread,
                 .containment = containment,
                 .reaper = reaper_,
                 .scratch = scratch_.whole()},
      settings_(settings),
      reaper_(loop, spawn_thread),
      server_environment_(own_environment()) {}

Result<> check_extension(const wire::StartParams& params) {
  const wire::StartExtension& asked = params.outpost.members;
  if (asked.size && !params.tty) return fail(ErrorKind::invalid_params, "outpost.size needs tty");
  if (asked.grace_ms && !asked.timeout_ms) return fail(ErrorKind::invalid_params, "outpost.graceMs needs timeoutMs");
  return {};
}

Result<> LocalProcessHost::check(const wire::StartParams& params) const {
  OUTPOST_CHECK_OK(check_params(params));
  return {};
}

Result<std::string> check_params(const wire::StartParams& params) {
  std::string folder = OUTPOST_TRY(working_folder(params.cwd.text));
  if (params.argv.empty()) return fail(ErrorKind::invalid_params, "argv must not be empty");
  OUTPOST_CHECK_OK(check_extension(params));
  return folder;
}

Result<std::string> check_start(const wire::StartParams& params) {
  std::string folder = OUTPOST_TRY(check_params(params));
  if (params.network_proxy) {
    return fail(ErrorKind::invalid_params,
                "networkProxy is not available on this server (networkProxyLaunch is false)");
  }
  if (params.sandbox.limits) {
    return fail(ErrorKind::sandbox_unavailable, "sandbox cannot enforce fileWrite here: this server has no sandbox");
  }
  if (params.outpost.members.limits) return fail(unavailable_limits());
  if (params.argv.front().empty()) {
    return fail(ErrorKind::spawn_failed,
                params.tty ? "missing program for PTY spawn" : "missing program for pipe spawn");
  }
  if (holds_nul(params)) return fail(ErrorKind::spawn_failed, "nul byte found in provided data");
  return folder;
}

Error spawn_error(int os_error, const std::string& terminal_lookup) {
  if (os_error == ENOENT && !terminal_lookup.empty()) {
    return {ErrorKind::spawn_failed, "Unable to spawn " + terminal_lookup + " because it was not found in PATH"};
  }
  const ErrorKind kind = os_error == ENOENT   ? ErrorKind::spawn_not_found
                         : os_error == EACCES ? ErrorKind::spawn_permission
                                              : ErrorKind::spawn_failed;
  return {kind, os_error_text(os_error)};
}

void LocalProcessHost::start(Scope scope, wire::StartParams params, StartDone done) {
  // Shared with the start under way, so that a full queue can still be answered.
  auto answer = std::make_shared<StartDone>(std::move(done));
  const auto refuse = [&](Error error) {
    resources_.loop.post([answer, error = std::move(error)]() mutable { (*answer)(fail(std::move(error))); });
  };
  Result<Prepared> prepared = prepare(scope, params);
  if (!prepared) return refuse(std::move(prepared).error());
  auto finish = [this, streams = std::move(prepared->streams), place = prepared->place, options = options_of(params),
                 lookup = terminal_lookup(params), sandboxed = params.sandbox.given,
                 answer](os::SpawnOutcome child) mutable {
    // On the spawn thread. What is not a value of this start is touched on the loop only.
    resources_.loop.post([this, streams = std::move(streams), place, options, lookup = std::move(lookup), sandboxed,
                          answer = std::move(answer), child = std::move(child)]() mutable {
      if (!child) {
        resources_.containment.leave(place);
        return (*answer)(fail(spawn_error(child.error().error, lookup)));
      }
      auto process = std::make_unique<LocalProcess>(resources_, *std::move(child), place, std::move(streams), options);
      if (!process->watched()) {
        return (*answer)(fail(ErrorKind::spawn_failed, "there is no room to watch one more process"));
      }
      // A context that limits nothing is told as the others (sandbox 3).
      (*answer)(StartedProcess{.process = std::move(process),
                               .sandbox_type = sandboxed ? wire::SandboxType::linux_seccomp : wire::SandboxType::none});
    });
  };
  if (resources_.spawn_thread.submit(std::move(prepared->request), std::move(finish))) return;
  resources_.containment.leave(prepared->place);
  refuse({ErrorKind::limit_reached, "too many processes are being started at once"});
}

Result<LocalProcessHost::Prepared> LocalProcessHost::prepare(Scope scope, const wire::StartParams& params) {
  Prepared prepared;
  prepared.request = spawn_request(params, OUTPOST_TRY(check_start(params)), server_environment_);
  const Result<> opened = params.tty ? open_terminal(params, prepared) : open_pipes(params, prepared);
  // No descriptors, no terminals: the program couldn't be started, which has its own kind on the wire.
  if (!opened) return fail(ErrorKind::spawn_failed, opened.error().message);
  Result<Containment::NewPlace> entered = resources_.containment.enter(scope);
  if (!entered) return fail(ErrorKind::spawn_failed, entered.error().message);
  prepared.place = entered->place;
  prepared.request.orphan_tag = entered->place.orphan_tag;
  prepared.request.cgroup_procs = std::move(entered->cgroup_procs);
  return prepared;
}

LocalProcess::Options LocalProcessHost::options_of(const wire::StartParams& params) const {
  LocalProcess::Options options;
  options.retained = settings_.retained;
  const wire::StartExtension& asked = params.outpost.members;
  if (asked.retain_bytes) {
    options.retain_bytes =
        std::min(static_cast<std::size_t>(asked.retain_bytes->value), settings_.process_retention_max);
  }
  if (asked.timeout_ms) options.timeout = std::chrono::milliseconds(asked.timeout_ms->value);
  if (asked.grace_ms) options.timeout_grace = std::chrono::milliseconds(asked.grace_ms->value);
  return options;
}

Result<> LocalProcessHost::open_pipes(const wire::StartParams& params, Prepared& prepared) const {
  if (params.pipe_stdin) {
    os::Pipe pipe = OUTPOST_TRY(os::make_pipe(os::Blocking::yes, os::Blocking::no));
    prepared.request.stdin_fd = std::move(pipe.read);
    prepared.streams.stdin_write = std::move(pipe.write);
  }
  os::Pipe out = OUTPOST_TRY(os::make_pipe(os::Blocking::no, os::Blocking::yes));
  os::Pipe err = OUTPOST_TRY(os::make_pipe(os::Blocking::no, os::Blocking::yes));
  prepared.request.stdout_fd = std::move(out.write);
  prepared.request.stderr_fd = std::move(err.write);
  prepared.streams.stdout_read = std::move(out.read);
  prepared.streams.stderr_read = std::move(err.read);
  return {};
}

Result<> LocalProcessHost::open_terminal(const wire::StartParams& params, Prepared& prepared) {
  const wire::TerminalSize size = params.outpost.members.size.value_or(wire::TerminalSize{});
  os::Terminal terminal = OUTPOST_TRY(os::open_terminal(
      {.rows = static_cast<std::uint16_t>(size.rows.value), .cols = static_cast<std::uint16_t>(size.cols.value)}));
  // One for each direction: a descriptor is watched once.
  prepared.streams.terminal_write = OUTPOST_TRY(os::duplicate(terminal.master.get()));
  prepared.streams.terminal_read = std::move(terminal.master);
  prepared.request.stdin_fd = std::move(terminal.slave);
  prepared.request.controlling_terminal = true;
  if (shell_.empty()) {
    shell_ = os::current_user().value_or(os::UserEntry{}).shell;
    if (shell_.empty()) shell_ = "/bin/sh";
  }
  add_shell(prepared.request.environment, shell_);
  return {};
}

}  // namespace outpost::local
