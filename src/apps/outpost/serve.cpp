#include "apps/outpost/serve.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "apps/outpost/listeners.h"
#include "apps/outpost/stdio_bridge.h"
#include "apps/outpost/worker.h"
#include "base/uuid.h"
#include "local/info/local_describer.h"
#include "os/cgroup.h"
#include "os/descriptor_limit.h"
#include "os/guard.h"
#include "os/process_tree.h"
#include "os/service_manager.h"
#include "os/signals.h"
#include "transport/websocket_listener.h"
#include "wire/codec.h"

namespace outpost::apps {

namespace {

using telemetry::LogLevel;

constexpr auto orphan_pause = std::chrono::milliseconds(100);

int report(const Error& error) {
  std::fprintf(stderr, "Error: %s\n", error.message.c_str());
  return 1;
}

/// What `serve` prepares before it splits into guard and server.
struct Inherited {
  std::string cgroup_name;  ///< known to both: if the server is killed, its guard removes the folder
  std::vector<os::FileDescriptor> passed_sockets;
};

/// The server itself, in the process that the guard forked.
class ServerProcess {
 public:
  ServerProcess(ServeOptions options, Inherited inherited, os::GuardLink link)
      : options_(std::move(options)),
        link_(std::move(link)),
        log_(STDERR_FILENO, options_.log),
        retained_(options_.retained_bytes_max),
        passed_sockets_(std::move(inherited.passed_sockets)),
        file_workers_(options_.file_workers),
        containment_({.best = options_.containment, .cgroup_name = std::move(inherited.cgroup_name)}) {}

  int run() {
    os::ignore_broken_pipes();
    os::raise_descriptor_limit();
    if (const Result<> opened = open_sockets(); !opened) return report(opened.error());
    describe();
    const Worker::Machine machine{spawn_thread_, containment_, file_workers_, options_.processes};
    for (std::size_t i = 0; i < options_.loops; ++i) {
      workers_.push_back(std::make_unique<Worker>(machine, shared_, i, options_.loops));
    }
    if (const Result<> watched = watch_for_the_end(); !watched) return report(watched.error());
    if (const Result<> started = stdio_ ? start_stdio() : start_listeners(); !started) return report(started.error());
    link_.tell_ready();
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([&loop = workers_[i]->loop()] { loop.run(); });
    }
    workers_.front()->loop().run();
    threads.clear();
    // Starts under way answer to the loops: they end before those go.
    spawn_thread_.stop();
    for (auto& worker : workers_) worker->loop().run_ready();
    if (bridge_) bridge_->wait_written(limits::stdio_end_wait);
    return 0;
  }

 private:
  Result<> open_sockets() {
    if (options_.listen.empty()) options_.listen.emplace_back("ws://127.0.0.1:0");
    upgrade_check_ = OUTPOST_TRY(server::make_upgrade_check(options_.auth));
    const auto addresses = OUTPOST_TRY(parse_listen_urls(options_.listen));
    stdio_ = addresses.front().kind == ListenAddress::Kind::stdio;
    if (stdio_ && upgrade_check_) {
      return fail(ErrorKind::invalid_input, "WebSocket auth requires a WebSocket listener, not stdio");
    }
    OUTPOST_CHECK_OK(load_certificate(addresses));
    if (stdio_) return {};
    const ListenRules rules{.anyone_may_reach_it = upgrade_check_ || options_.allow_unauthenticated,
                            .tls = tls_ != nullptr};
    sockets_ = OUTPOST_TRY(open_listeners(addresses, rules, std::exchange(passed_sockets_, {})));
    return {};
  }

  Result<> load_certificate(const std::vector<ListenAddress>& addresses) {
    const auto speaks_tls = [](const ListenAddress& address) { return address.tls; };
    const auto may_speak_tls = [](const ListenAddress& address) {
      return address.tls || address.kind == ListenAddress::Kind::passed_sockets;
    };
    const bool given = !options_.tls.certificate.empty() || !options_.tls.key.empty();
    const bool whole = !options_.tls.certificate.empty() && !options_.tls.key.empty();
    if (!whole && (given || std::ranges::any_of(addresses, speaks_tls))) {
      return fail(ErrorKind::invalid_input, "wss:// needs both --tls-cert and --tls-key");
    }
    if (!given) return {};
    if (std::ranges::none_of(addresses, may_speak_tls)) {
      return fail(ErrorKind::invalid_input, "--tls-cert and --tls-key need a wss:// or fd:// listener");
    }
    tls_ = OUTPOST_TRY(transport::TlsServer::load(options_.tls));
    return {};
  }

  void describe() {
    shared_.options = options_.server;
    shared_.log = &log_;
    shared_.retained = &retained_;
    options_.processes.retained = &retained_;
    shared_.hand_over = [this](std::size_t index, server::MovedConnection moved) {
      Worker& home = *workers_[index];
      home.loop().post([&home, moved = std::move(moved)]() mutable { home.adopt(std::move(moved)); });
    };
    shared_.post_to = [this](std::size_t index, server::ServerTask task) {
      Worker& there = *workers_[index];
      there.loop().post([&there, task = std::move(task)]() mutable { task(there.server()); });
    };
    const auto retention = static_cast<std::uint64_t>(options_.server.session_retention_max.count());
    wire::encode(shared_.environment_info_json,
                 local::describe_this_machine({.retention_ms = retention,
                                               .retain_bytes = options_.processes.process_retention_max,
                                               .containment = std::string(local::name_of(containment_.level())),
                                               .environment_config = options_.server.environment_config}));
  }

  Result<> watch_for_the_end() {
    signals_ = OUTPOST_TRY(os::watch_signals({SIGTERM, SIGINT, SIGHUP, SIGCHLD}));
    Loop& loop = workers_.front()->loop();
    orphan_timer_ = std::make_unique<Timer>(loop);
    signal_watch_ = std::make_unique<Watch>(loop, signals_.get(), [this] { on_signal(); });
    signal_watch_->wait_readable();
    // Without its guard the server can't promise to leave nothing behind, so it ends as well.
    guard_watch_ = std::make_unique<Watch>(loop, link_.guard_death.get(), [this] { shut_down(); });
    guard_watch_->wait_readable();
    return {};
  }

  void on_signal() {
    bool ending = false;
    while (const auto signal = os::next_signal(signals_.get())) {
      if (*signal == SIGHUP && tls_) {
        reload_certificate();
      } else if (*signal != SIGCHLD) {
        ending = true;
      }
    }
    if (ending) return shut_down();
    // Leaders are reaped by who watches them. What is left are orphans that fell to us: now and then is enough.
    if (!orphan_timer_->running()) orphan_timer_->start(orphan_pause, [this] { spawn_thread_.reap_orphans(); });
    signal_watch_->wait_readable();
  }

  void reload_certificate() {
    const Result<> reloaded = tls_->reload();
    if (reloaded) return telemetry::log_event(&log_, LogLevel::info, "certificate reloaded", {});
    telemetry::log_event(&log_, LogLevel::error, "certificate not reloaded, the old one is kept",
                         {{"error", reloaded.error().message}});
  }

  Result<> start_listeners() {
    Loop& loop = workers_.front()->loop();
    options_.pending.log = &log_;
    pending_ = std::make_unique<transport::PendingConnections>(
        loop, upgrade_check_, [this](transport::UpgradedConnection connection) { assign(std::move(connection)); },
        options_.pending);
    for (OpenListener& open : sockets_) {
      transport::WebsocketListener::Settings settings{.tls = open.tls ? tls_.get() : nullptr,
                                                      .unix_url = open.is_unix ? open.url : ""};
      listeners_.push_back(
          std::make_unique<transport::WebsocketListener>(loop, std::move(open.socket), *pending_, std::move(settings)));
      telemetry::log_event(&log_, LogLevel::info, "listening", {{"url", open.url}});
    }
    // What is printed is what can be connected to; whoever started us waits for these lines.
    for (const OpenListener& open : sockets_) std::printf("%s\n", open.url.c_str());
    std::fflush(stdout);
    return {};
  }

  Result<> start_stdio() {
    bridge_ = OUTPOST_TRY(StdioBridge::start(STDIN_FILENO, STDOUT_FILENO));
    // Nobody can come back, so the end of the one connection is the end of the server.
    workers_.front()->accept_lines(bridge_->take_socket(), [this] { shut_down(); });
    return {};
  }

  /// Connections go round the loops; one that resumes a session moves on to the loop of that.
  void assign(transport::UpgradedConnection connection) {
    Worker& worker = *workers_[next_worker_++ % workers_.size()];
    if (&worker == workers_.front().get()) return worker.accept(std::move(connection));
    worker.loop().post(
        [&worker, connection = std::move(connection)]() mutable { worker.accept(std::move(connection)); });
  }

  void shut_down() {
    if (std::exchange(ending_, true)) return;
    telemetry::log_event(&log_, LogLevel::info, "the server ends", {});
    listeners_.clear();
    pending_.reset();
    for (auto& worker : workers_) {
      worker->loop().post([&ended = *worker] {
        ended.server().end_all();
        // Behind what the end of the connections has posted.
        ended.loop().post([&ended] { ended.loop().stop(); });
      });
    }
    os::kill_descendants();
  }

  ServeOptions options_;
  os::GuardLink link_;
  StderrLog log_;
  capability::RetainedBudget retained_;
  server::Shared shared_;
  std::vector<os::FileDescriptor> passed_sockets_;
  std::vector<OpenListener> sockets_;
  bool stdio_ = false, ending_ = false;
  channel::UpgradeCheck upgrade_check_;
  std::unique_ptr<transport::TlsServer> tls_;
  local::WorkerPool file_workers_;
  local::Containment containment_;
  os::SpawnThread spawn_thread_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<StdioBridge> bridge_;
  std::unique_ptr<transport::PendingConnections> pending_;
  std::vector<std::unique_ptr<transport::WebsocketListener>> listeners_;
  std::size_t next_worker_ = 0;
  os::FileDescriptor signals_;
  std::unique_ptr<Watch> signal_watch_, guard_watch_;
  std::unique_ptr<Timer> orphan_timer_;
};

}  // namespace

int serve(ServeOptions options) {
  auto passed_sockets = os::take_passed_sockets();
  if (!passed_sockets) return report(passed_sockets.error());
  const std::string cgroup_name = "outpost-" + random_uuid_v4();
  os::GuardSettings settings;
  settings.hang_up_is_no_end = !options.tls.certificate.empty();
  settings.notify_address = os::take_notify_address();
  settings.after = [cgroup_name] {
    if (const Result<std::string> parent = os::own_cgroup()) os::clear_cgroup(*parent + "/" + cgroup_name);
  };
  Inherited inherited{cgroup_name, *std::move(passed_sockets)};
  auto server = [options = std::move(options), inherited = std::move(inherited)](os::GuardLink link) mutable {
    return std::make_unique<ServerProcess>(std::move(options), std::move(inherited), std::move(link))->run();
  };
  return os::run_guarded(std::move(server), std::move(settings));
}

}  // namespace outpost::apps
