#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/run_until.h"
#include "local/process/local_process_host.h"
#include "os/io.h"
#include "os/process_tree.h"
#include "os/signals.h"

namespace outpost::local::testing {

using outpost::testing::run_ready;
using outpost::testing::run_until;
using Kind = capability::EventView::Kind;

/// Follows one process from its start and keeps all of its events.
class Follower final : public capability::ProcessObserver {
 public:
  struct Event {
    Kind kind;
    std::uint64_t seq;
    capability::OutputStream stream;
    std::string text;
    int exit_code;
  };

  explicit Follower(std::unique_ptr<capability::Process> process) : process_(std::move(process)) {
    process_->observe(this);
    on_news();
  }
  void on_news() override {
    while (const auto event = process_->next_event(seq_)) {
      seq_ = event->seq;
      events_.push_back({event->kind, event->seq, event->stream, std::string(as_text(event->bytes)), event->exit_code});
      output_bytes_ += event->bytes.size();
    }
    if (on_events) on_events();
  }

  capability::Process& process() { return *process_; }
  void destroy() { process_.reset(); }
  const std::vector<Event>& events() const { return events_; }
  std::size_t output_bytes() const { return output_bytes_; }
  bool has(Kind kind) const { return std::ranges::find(events_, kind, &Event::kind) != events_.end(); }
  bool closed() const { return has(Kind::closed); }
  std::string output(capability::OutputStream stream = capability::OutputStream::stdout) const {
    std::string text;
    for (const Event& event : events_) {
      if (event.kind == Kind::output && event.stream == stream) text += event.text;
    }
    return text;
  }
  int exit_code() const {
    const auto exited = std::ranges::find(events_, Kind::exited, &Event::kind);
    return exited == events_.end() ? -1 : exited->exit_code;
  }
  /// Numbers from 1 without a gap, one exit, and the close at the end.
  void expect_complete_sequence() const {
    for (std::size_t i = 0; i < events_.size(); ++i) EXPECT_EQ(events_[i].seq, i + 1);
    EXPECT_EQ(std::ranges::count(events_, Kind::exited, &Event::kind), 1);
    EXPECT_EQ(std::ranges::count(events_, Kind::closed, &Event::kind), 1);
    if (!events_.empty()) EXPECT_EQ(events_.back().kind, Kind::closed);
  }

  std::function<void()> on_events;

 private:
  std::unique_ptr<capability::Process> process_;
  std::uint64_t seq_ = 0;
  std::vector<Event> events_;
  std::size_t output_bytes_ = 0;
};

inline wire::StartParams command(std::vector<std::string> argv) {
  wire::StartParams params;
  params.process_id = "p";
  params.argv = std::move(argv);
  params.cwd.text = "file:///tmp";
  params.env = {{"PATH", "/usr/bin:/bin"}};
  return params;
}
inline wire::StartParams script(const std::string& text) {
  return command({"/bin/sh", "-c", text});
}

/// The process is gone, or a zombie that only its parent has to look at.
inline bool is_dead(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return true;
  return line.substr(line.rfind(')') + 2, 1) == "Z";
}

/// This process has no children, living or dead.
inline bool no_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == -1;
}

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator listing("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(listing), end(listing)));
}

/// A loop with a host that starts real programs.
class HostTest : public ::testing::Test {
 protected:
  HostTest() {
    os::ignore_broken_pipes();
    std::array<char, 64> name{"/tmp/outpost-process-test-XXXXXX"};
    folder_ = ::mkdtemp(name.data());
  }
  ~HostTest() override { std::filesystem::remove_all(folder_); }
  void TearDown() override {
    host_.end_scope(scope_);
    const auto all_reaped = [this] {
      spawn_thread_.reap_orphans();
      return no_children();
    };
    EXPECT_TRUE(run_until(loop_, all_reaped)) << "nothing lives on, and every child is reaped, however it ended";
  }

  Result<capability::StartedProcess> try_start(wire::StartParams params) {
    std::optional<Result<capability::StartedProcess>> outcome;
    host_.start(scope_, std::move(params),
                [&](Result<capability::StartedProcess> given) { outcome = std::move(given); });
    EXPECT_FALSE(outcome) << "done is never called from within start";
    if (!run_until(loop_, [&] { return outcome.has_value(); })) return fail(ErrorKind::timeout, "no answer");
    return *std::move(outcome);
  }
  std::unique_ptr<Follower> start(wire::StartParams params) {
    auto started = try_start(std::move(params));
    EXPECT_TRUE(started) << started.error().message;
    if (!started) return nullptr;
    return std::make_unique<Follower>(std::move(started->process));
  }
  /// Starts a program and waits for its close.
  std::unique_ptr<Follower> run(wire::StartParams params) {
    auto follower = start(std::move(params));
    if (follower) EXPECT_TRUE(run_until(loop_, [&] { return follower->closed(); }));
    return follower;
  }
  /// A named pipe: a program that reads a line of it goes on when `release` is called.
  std::string gate() {
    const std::string file = path("gate");
    EXPECT_EQ(::mkfifo(file.c_str(), 0600), 0);
    // Open for both directions, so that it doesn't matter whether the reader is there already.
    gate_.reset(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    return file;
  }
  void release() { EXPECT_EQ(os::write_some(gate_.get(), as_bytes("go\n")).bytes, 3u); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  Loop loop_;
  os::SpawnThread spawn_thread_;
  const bool subreaper_ = os::become_subreaper();  // orphans of what the tests start fall to this program
  Containment containment_{{.best = ContainmentLevel::subreaper, .cgroup_name = {}}};
  LocalProcessHost host_{loop_, spawn_thread_, containment_, {}};
  const capability::ProcessHost::Scope scope_ = host_.new_scope();
  std::string folder_;
  os::FileDescriptor gate_;
};

}  // namespace outpost::local::testing
