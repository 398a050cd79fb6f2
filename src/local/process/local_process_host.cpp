#include "local/process/local_process_host.h"

#include <cerrno>
#include <utility>

#include "local/process/environment.h"
#include "local/process/local_process.h"
#include "os/io.h"
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

struct LocalProcessHost::Pipes {
  LocalProcess::Streams ours;
};

LocalProcessHost::LocalProcessHost(Loop& loop, os::SpawnThread& spawn_thread)
    : loop_(loop), spawn_thread_(spawn_thread), reaper_(loop, spawn_thread), server_environment_(own_environment()) {}

Result<> LocalProcessHost::check(const wire::StartParams& params) const {
  OUTPOST_CHECK_OK(check_params(params));
  return {};
}

Result<std::string> check_params(const wire::StartParams& params) {
  std::string folder = OUTPOST_TRY(working_folder(params.cwd.text));
  if (params.argv.empty()) return fail(ErrorKind::invalid_params, "argv must not be empty");
  return folder;
}

Result<std::string> check_start(const wire::StartParams& params) {
  std::string folder = OUTPOST_TRY(check_params(params));
  if (params.network_proxy) {
    return fail(ErrorKind::invalid_params,
                "networkProxy is not available on this server (networkProxyLaunch is false)");
  }
  if (params.sandbox) {
    return fail(ErrorKind::sandbox_unavailable, "sandbox cannot enforce fileWrite here: this server has no sandbox");
  }
  if (params.tty)
    return fail(ErrorKind::spawn_failed, "terminals are not available on this server; start with tty false");
  if (params.argv.front().empty()) return fail(ErrorKind::spawn_failed, "missing program for pipe spawn");
  if (holds_nul(params)) return fail(ErrorKind::spawn_failed, "nul byte found in provided data");
  return folder;
}

Error spawn_error(int os_error) {
  const ErrorKind kind = os_error == ENOENT   ? ErrorKind::spawn_not_found
                         : os_error == EACCES ? ErrorKind::spawn_permission
                                              : ErrorKind::spawn_failed;
  return {kind, os_error_text(os_error)};
}

void LocalProcessHost::start(wire::StartParams params, StartDone done) {
  const auto refuse = [&](Error error) {
    loop_.post([done = std::move(done), error = std::move(error)]() mutable { done(fail(std::move(error))); });
  };
  Result<std::string> folder = check_start(params);
  if (!folder) return refuse(std::move(folder).error());
  os::SpawnRequest request = spawn_request(params, *std::move(folder), server_environment_);
  Result<Pipes> pipes = make_pipes(params, request);
  if (!pipes) return refuse(std::move(pipes).error());

  // Shared with the start under way, so that a full queue can still be answered.
  auto answer = std::make_shared<StartDone>(std::move(done));
  auto finish = [this, streams = std::move(pipes->ours), answer](os::SpawnOutcome child) mutable {
    // On the spawn thread. What is not a value of this start is touched on the loop only.
    loop_.post([this, streams = std::move(streams), answer = std::move(answer), child = std::move(child)]() mutable {
      if (!child) return (*answer)(fail(spawn_error(child.error().error)));
      auto process = std::make_unique<LocalProcess>(loop_, spawn_thread_, reaper_, *std::move(child),
                                                    std::move(streams), scratch_.whole());
      (*answer)(StartedProcess{.process = std::move(process), .sandbox_type = wire::SandboxType::none});
    });
  };
  if (spawn_thread_.submit(std::move(request), std::move(finish))) return;
  loop_.post([answer] { (*answer)(fail(ErrorKind::limit_reached, "too many processes are being started at once")); });
}

Result<LocalProcessHost::Pipes> LocalProcessHost::make_pipes(const wire::StartParams& params,
                                                             os::SpawnRequest& request) const {
  Pipes pipes;
  if (params.pipe_stdin) {
    os::Pipe pipe = OUTPOST_TRY(os::make_pipe(os::Blocking::yes, os::Blocking::no));
    request.stdin_fd = std::move(pipe.read);
    pipes.ours.stdin_write = std::move(pipe.write);
  }
  os::Pipe out = OUTPOST_TRY(os::make_pipe(os::Blocking::no, os::Blocking::yes));
  os::Pipe err = OUTPOST_TRY(os::make_pipe(os::Blocking::no, os::Blocking::yes));
  request.stdout_fd = std::move(out.write);
  request.stderr_fd = std::move(err.write);
  pipes.ours.stdout_read = std::move(out.read);
  pipes.ours.stderr_read = std::move(err.read);
  return pipes;
}

}  // namespace outpost::local
