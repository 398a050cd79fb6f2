#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capability/process_host.h"
#include "local/process/output_log.h"

namespace outpost::testing {

/// The byte that a simulated program prints at `position`.
inline char byte_at(std::uint64_t position) {
  return static_cast<char>('a' + position * 31 % 23 + position / 1000 % 3);
}

/// A program over a real log: it prints when the simulation says so, as far as it may.
class SimulatedProcess {
 public:
  static constexpr std::size_t retain_bytes = 4096;

  /// Prints up to so many bytes; fewer where it would have to wait.
  void print(std::size_t bytes) {
    if (!flowing_ || log_.state().exited()) return;
    std::string text(std::min(bytes, log_.room()), '?');
    for (char& byte : text) byte = byte_at(printed_++);
    if (text.empty()) return;
    const std::uint64_t first_seq = log_.state().next_seq;
    std::uint64_t position = printed_ - text.size();
    log_.append(capability::OutputStream::stdout, as_bytes(text));
    for (auto event = log_.next_event(first_seq - 1); event; event = log_.next_event(event->seq)) {
      positions_[event->seq] = position;
      position += event->bytes.size();
    }
    tell();
  }
  void end() {
    log_.append_exit(0, false);
    log_.append_close();
    tell();
  }
  std::uint64_t printed() const { return printed_; }
  /// Where the output of that number begins.
  std::uint64_t position_of(std::uint64_t seq) const { return positions_.at(seq); }
  const local::OutputLog& log() const { return log_; }

 private:
  friend class SimulatedHandle;
  void tell() {
    if (observer_ != nullptr) observer_->on_news();
  }
  local::OutputLog log_{retain_bytes};
  std::map<std::uint64_t, std::uint64_t> positions_;
  std::uint64_t printed_ = 0;
  bool flowing_ = true;
  capability::ProcessObserver* observer_ = nullptr;
};

class SimulatedHandle final : public capability::Process {
 public:
  explicit SimulatedHandle(std::shared_ptr<SimulatedProcess> process) : it_(std::move(process)) {}
  void observe(capability::ProcessObserver* observer) override { it_->observer_ = observer; }
  capability::ProcessState state() const override { return it_->log_.state(); }
  std::optional<capability::EventView> next_event(std::uint64_t after_seq) const override {
    return it_->log_.next_event(after_seq);
  }
  std::uint64_t read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                     std::vector<capability::OutputView>& chunks) const override {
    return it_->log_.read(after_seq, bytes_max, chunks);
  }
  capability::ProcessDetails details() const override {
    return {.pid = 1,
            .first_seq = it_->log_.first_seq(),
            .retained_bytes = it_->log_.retained_bytes(),
            .retain_bytes_max = it_->log_.retain_bytes_max()};
  }
  capability::Excerpt excerpt(std::size_t head, std::size_t tail,
                              std::vector<capability::OutputView>& chunks) const override {
    return it_->log_.excerpt(head, tail, chunks);
  }
  void set_keep(capability::Keep keep) override { it_->log_.set_keep(keep); }
  void begin_delivery() override { it_->log_.begin_delivery(); }
  void note_sent(std::uint64_t seq, std::uint64_t offset) override { it_->log_.note_sent(seq, offset); }
  void prove_sent(std::uint64_t offset) override { it_->log_.prove_sent(offset); }
  void prove_through(std::uint64_t seq) override { it_->log_.prove_through(seq); }
  void release_backlog() override { it_->log_.release_backlog(); }
  capability::Undelivered undelivered() const override { return it_->log_.undelivered(); }
  std::size_t evict_proved(std::size_t bytes) override { return it_->log_.evict_proved(bytes); }
  void on_room() override {}
  void set_flowing(bool flowing) override { it_->flowing_ = flowing; }
  void write(capability::WriteRequest, capability::WriteDone done) override { done(wire::WriteStatus::accepted); }
  void abandon_writes() override {}
  wire::WriteStatus close_stdin() override { return wire::WriteStatus::accepted; }
  bool signal(wire::AnySignal, wire::SignalTarget) override { return false; }
  bool has_terminal() const override { return false; }
  void resize(const wire::TerminalSize&) override {}
  bool terminate(std::chrono::milliseconds) override { return false; }

 private:
  std::shared_ptr<SimulatedProcess> it_;  // shared with the simulation, which drives it
};

/// Starts simulated processes, each when the simulation says so.
class SimulatedHost final : public capability::ProcessHost {
 public:
  Scope new_scope() override { return 1; }
  void end_scope(Scope) override {}
  Result<> check(const wire::StartParams&) const override { return {}; }
  void start(Scope, wire::StartParams, capability::StartDone done) override { starts_.push_back(std::move(done)); }
  bool starting() const { return !starts_.empty(); }
  std::shared_ptr<SimulatedProcess> finish_start() {
    auto process = std::make_shared<SimulatedProcess>();
    capability::StartDone done = std::move(starts_.front());
    starts_.pop_front();
    done(capability::StartedProcess{.process = std::make_unique<SimulatedHandle>(process)});
    return process;
  }

 private:
  std::deque<capability::StartDone> starts_;
};

}  // namespace outpost::testing
