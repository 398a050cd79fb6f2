#include "apps/outpost/serve.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "apps/outpost/listen_url.h"
#include "apps/outpost/worker.h"
#include "base/uuid.h"
#include "local/info/local_describer.h"
#include "os/cgroup.h"
#include "os/descriptor_limit.h"
#include "os/guard.h"
#include "os/process_tree.h"
#include "os/signals.h"
#include "os/socket.h"
#include "wire/codec.h"

namespace outpost::apps {

namespace {

constexpr auto orphan_pause = std::chrono::milliseconds(100);

int report(const Error& error) {
  std::fprintf(stderr, "Error: %s\n", error.message.c_str());
  return 1;
}

struct Listening {
  os::FileDescriptor socket;
  std::string url;
};

Result<Listening> listen_on(const std::string& url, bool allow_unauthenticated) {
  const ListenAddress address = OUTPOST_TRY(parse_listen_url(url));
  if (!address.loopback && !allow_unauthenticated) {
    return fail(ErrorKind::invalid_input, "refusing to listen on " + url.substr(5) +
                                              " without authentication; use --ws-auth, or --allow-unauthenticated if "
                                              "other protection exists");
  }
  Result<os::FileDescriptor> socket = os::listen_tcp(address.host, address.port);
  if (!socket) return fail(socket.error().kind, "cannot listen on " + url + ": " + socket.error().message);
  Listening listening{.socket = *std::move(socket), .url = {}};
  listening.url = "ws://" + OUTPOST_TRY(os::local_address(listening.socket.get()));
  return listening;
}

/// The server itself, in the process that the guard forked.
class ServerProcess {
 public:
  ServerProcess(ServeOptions options, std::string cgroup_name, os::GuardLink link)
      : options_(std::move(options)),
        link_(std::move(link)),
        file_workers_(options_.file_workers),
        containment_({.best = options_.containment, .cgroup_name = std::move(cgroup_name)}) {}

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
    start_listeners();
    // What is printed is what can be connected to; whoever started us waits for these lines.
    for (const Listening& listening : sockets_) std::printf("%s\n", listening.url.c_str());
    std::fflush(stdout);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([&loop = workers_[i]->loop()] { loop.run(); });
    }
    workers_.front()->loop().run();
    threads.clear();
    // Starts under way answer to the loops: they end before those go.
    spawn_thread_.stop();
    for (auto& worker : workers_) worker->loop().run_ready();
    return 0;
  }

 private:
  Result<> open_sockets() {
    if (options_.listen.empty()) options_.listen.emplace_back("ws://127.0.0.1:0");
    for (const std::string& url : options_.listen) {
      sockets_.push_back(OUTPOST_TRY(listen_on(url, options_.allow_unauthenticated)));
    }
    return {};
  }

  void describe() {
    shared_.options = options_.server;
    shared_.hand_over = [this](std::size_t index, server::MovedConnection moved) {
      Worker& home = *workers_[index];
      home.loop().post([&home, moved = std::move(moved)]() mutable { home.adopt(std::move(moved)); });
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
      if (*signal != SIGCHLD) ending = true;
    }
    if (ending) return shut_down();
    // Leaders are reaped by who watches them. What is left are orphans that fell to us: now and then is enough.
    if (!orphan_timer_->running()) orphan_timer_->start(orphan_pause, [this] { spawn_thread_.reap_orphans(); });
    signal_watch_->wait_readable();
  }

  void start_listeners() {
    Loop& loop = workers_.front()->loop();
    for (Listening& listening : sockets_) {
      listeners_.push_back(std::make_unique<transport::WebsocketListener>(
          loop, std::move(listening.socket), channel::UpgradeCheck{},
          [this](transport::UpgradedSocket socket) { assign(std::move(socket)); }, options_.listener));
    }
  }

  /// Connections go round the loops; one that resumes a session moves on to the loop of that.
  void assign(transport::UpgradedSocket socket) {
    Worker& worker = *workers_[next_worker_++ % workers_.size()];
    socket.subject = "anonymous";
    if (&worker == workers_.front().get()) return worker.accept(std::move(socket), options_.ping_interval);
    worker.loop().post([&worker, this, socket = std::move(socket)]() mutable {
      worker.accept(std::move(socket), options_.ping_interval);
    });
  }

  void shut_down() {
    listeners_.clear();
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
  server::Shared shared_;
  std::vector<Listening> sockets_;
  local::WorkerPool file_workers_;
  local::Containment containment_;
  os::SpawnThread spawn_thread_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<transport::WebsocketListener>> listeners_;
  std::size_t next_worker_ = 0;
  os::FileDescriptor signals_;
  std::unique_ptr<Watch> signal_watch_, guard_watch_;
  std::unique_ptr<Timer> orphan_timer_;
};

}  // namespace

int serve(ServeOptions options) {
  // Known to both: if the server is killed, its guard removes the folder.
  const std::string cgroup_name = "outpost-" + random_uuid_v4();
  const auto server = [options = std::move(options), cgroup_name](os::GuardLink link) mutable {
    return std::make_unique<ServerProcess>(std::move(options), cgroup_name, std::move(link))->run();
  };
  return os::run_guarded(std::move(server), [cgroup_name] {
    if (const Result<std::string> parent = os::own_cgroup()) os::clear_cgroup(*parent + "/" + cgroup_name);
  });
}

}  // namespace outpost::apps
