#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits/processes.h"
#include "capability/file_system.h"
#include "capability/process_host.h"
#include "capability/retained_budget.h"

namespace outpost::testing {

/// A process that does what the test says. Shared with the `Process` that the product holds.
class FakeProcess {
 public:
  void print(std::string text, capability::OutputStream stream = capability::OutputStream::stdout) {
    events_.push_back({.kind = Event::Kind::output, .text = std::move(text), .stream = stream});
    tell();
  }
  void exit(int code) {
    exit_code_ = code;
    events_.push_back({.kind = Event::Kind::exited});
    tell();
  }
  void close() {
    closed_ = true;
    events_.push_back({.kind = Event::Kind::closed});
    tell();
  }
  void end(int code = 0) {
    exit(code);
    close();
  }

  std::vector<std::string> written;  ///< what came for stdin
  bool stdin_closed = false;
  int interrupts = 0;
  int terminations = 0;
  std::vector<wire::AnySignal> signals;
  std::vector<std::chrono::milliseconds> graces;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;        ///< rows, columns
  mutable std::vector<std::pair<std::size_t, std::size_t>> views;  ///< head, tail
  bool has_terminal = false;
  bool flowing = true;
  bool alive = true;          ///< the product still holds it
  bool holds_writes = false;  ///< then writes wait in `waiting_writes`
  std::vector<capability::WriteDone> waiting_writes;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sent;  ///< of each output: seq, end offset
  capability::Keep keep = capability::Keep::newest;
  int deliveries = 0;
  std::vector<std::uint64_t> proved_offsets, proved_seqs;
  int released = 0;                     ///< how often the backlog was
  capability::Undelivered undelivered;  ///< as the test says
  std::size_t retained_bytes = 0, evictable = 0;
  capability::RetainedBudget* budget = nullptr;  ///< given back what is evicted, and all at the end
  int rooms = 0;

 private:
  friend class FakeProcessHandle;
  struct Event {
    using Kind = capability::EventView::Kind;
    Kind kind;
    std::string text = {};
    capability::OutputStream stream{};
  };
  void tell() {
    if (observer_ != nullptr) observer_->on_news();
  }

  std::deque<Event> events_;  // number n is at n - 1
  std::optional<int> exit_code_;
  bool closed_ = false;
  capability::ProcessObserver* observer_ = nullptr;
};

class FakeProcessHandle final : public capability::Process {
 public:
  explicit FakeProcessHandle(std::shared_ptr<FakeProcess> process) : fake_(std::move(process)) {}
  ~FakeProcessHandle() override {
    fake_->alive = false;
    if (fake_->budget != nullptr) fake_->budget->remove(fake_->retained_bytes);
  }

  void observe(capability::ProcessObserver* observer) override { fake_->observer_ = observer; }
  capability::ProcessState state() const override {
    return {.next_seq = fake_->events_.size() + 1, .exit_code = fake_->exit_code_, .closed = fake_->closed_};
  }
  std::optional<capability::EventView> next_event(std::uint64_t after_seq) const override {
    if (after_seq >= fake_->events_.size()) return std::nullopt;
    const auto& event = fake_->events_[after_seq];
    return capability::EventView{.kind = event.kind,
                                 .seq = after_seq + 1,
                                 .stream = event.stream,
                                 .bytes = as_bytes(event.text),
                                 .exit_code = fake_->exit_code_.value_or(0)};
  }
  std::uint64_t read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                     std::vector<capability::OutputView>& chunks) const override {
    std::uint64_t bytes = 0;
    for (std::uint64_t seq = after_seq + 1; seq <= fake_->events_.size(); ++seq) {
      const auto& event = fake_->events_[seq - 1];
      if (event.kind != capability::EventView::Kind::output) continue;
      bytes += event.text.size();
      if (bytes_max && !chunks.empty() && bytes > *bytes_max) break;
      chunks.push_back({.seq = seq, .stream = event.stream, .bytes = as_bytes(event.text)});
    }
    return bytes_max && !chunks.empty() ? chunks.back().seq + 1 : fake_->events_.size() + 1;
  }
  void note_sent(std::uint64_t seq, std::uint64_t offset) override { fake_->sent.emplace_back(seq, offset); }
  void set_keep(capability::Keep keep) override { fake_->keep = keep; }
  void begin_delivery() override { ++fake_->deliveries; }
  void prove_sent(std::uint64_t offset) override { fake_->proved_offsets.push_back(offset); }
  void prove_through(std::uint64_t seq) override { fake_->proved_seqs.push_back(seq); }
  void release_backlog() override { ++fake_->released; }
  capability::Undelivered undelivered() const override { return fake_->undelivered; }
  std::size_t evict_proved(std::size_t bytes) override {
    const std::size_t freed = std::min(bytes, std::exchange(fake_->evictable, 0));
    if (fake_->budget != nullptr) fake_->budget->remove(freed);
    return freed;
  }
  void on_room() override { ++fake_->rooms; }
  void set_flowing(bool flowing) override { fake_->flowing = flowing; }
  void write(capability::WriteRequest request, capability::WriteDone done) override {
    fake_->written.emplace_back(as_text(request.bytes.view()));
    if (fake_->holds_writes) return fake_->waiting_writes.push_back(std::move(done));
    done(wire::WriteStatus::accepted);
  }
  void abandon_writes() override { fake_->waiting_writes.clear(); }
  wire::WriteStatus close_stdin() override {
    fake_->stdin_closed = true;
    return wire::WriteStatus::accepted;
  }
  capability::ProcessDetails details() const override {
    return {.pid = 4711,
            .first_seq = 1,
            .retained_bytes = fake_->retained_bytes,
            .retain_bytes_max = limits::retained_output_bytes};
  }
  capability::Excerpt excerpt(std::size_t head, std::size_t tail,
                              std::vector<capability::OutputView>& chunks) const override {
    fake_->views.emplace_back(head, tail);
    read(0, std::nullopt, chunks);
    return {};
  }
  bool signal(wire::AnySignal signal, wire::SignalTarget) override {
    fake_->interrupts += signal == wire::AnySignal::int_;
    fake_->signals.push_back(signal);
    return !fake_->exit_code_;
  }
  bool has_terminal() const override { return fake_->has_terminal; }
  void resize(const wire::TerminalSize& size) override { fake_->sizes.emplace_back(size.rows, size.cols); }
  bool terminate(std::chrono::milliseconds grace) override {
    if (fake_->exit_code_) return false;
    ++fake_->terminations;
    fake_->graces.push_back(grace);
    return true;
  }

 private:
  std::shared_ptr<FakeProcess> fake_;  // shared with the test, which drives it
};

/// Starts nothing until the test says how each start ends.
class FakeProcessHost final : public capability::ProcessHost {
 public:
  Scope new_scope() override { return ++last_scope_; }
  void end_scope(Scope scope) override { ended_scopes.push_back(scope); }
  Result<> check(const wire::StartParams& params) const override {
    if (params.argv.empty()) return fail(ErrorKind::invalid_params, "no program");
    return {};
  }
  void start(Scope, wire::StartParams params, capability::StartDone done) override {
    starts_.push_back({std::move(params), std::move(done)});
  }
  std::vector<Scope> ended_scopes;
  std::size_t pending() const { return starts_.size(); }
  /// The start that waits longest succeeds.
  std::shared_ptr<FakeProcess> succeed() {
    auto process = std::make_shared<FakeProcess>();
    next()(capability::StartedProcess{.process = std::make_unique<FakeProcessHandle>(process)});
    return process;
  }
  void fail_start(Error error) { next()(std::unexpected(std::move(error))); }

 private:
  struct Start {
    wire::StartParams params;
    capability::StartDone done;
  };
  capability::StartDone next() {
    capability::StartDone done = std::move(starts_.front().done);
    starts_.pop_front();
    return done;
  }
  std::deque<Start> starts_;
  Scope last_scope_ = 0;
};

/// Answers when the test does.
class FakeFileSystem final : public capability::FileSystem {
 public:
  struct Call {
    capability::FileRequest request;
    std::stop_token stop;
    capability::FileDone done;
  };
  std::unique_ptr<capability::FileClient> connect(std::move_only_function<void(std::uint64_t)> changed) override {
    missing_changed = std::move(changed);
    ++clients;
    return std::make_unique<Client>(*this);
  }
  template <class Params>
  const Params& asked(std::size_t index) const {
    return std::get<Params>(calls.at(index).request);
  }
  void answer(std::size_t index, Result<capability::FileAnswer> answer) {
    std::exchange(calls.at(index).done, nullptr)(std::move(answer));
  }
  std::vector<Call> calls;  ///< all that ever came
  std::move_only_function<void(std::uint64_t)> missing_changed;
  int clients = 0;
  bool flowing = true;

 private:
  struct Client final : capability::FileClient {
    explicit Client(FakeFileSystem& the_files) : files(the_files) {}
    ~Client() override {
      --files.clients;
      for (Call& call : files.calls) call.done = nullptr;
    }
    void call(capability::FileRequest request, std::stop_token stop, capability::FileDone done) override {
      files.calls.push_back({std::move(request), std::move(stop), std::move(done)});
    }
    void set_flowing(bool flows) override { files.flowing = flows; }
    FakeFileSystem& files;
  };
};

}  // namespace outpost::testing
