// Sessions, output log and receipts under seeded cuts, delays and slow clients, with a client that checks every byte.

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <string>

#include "base/run_until.h"
#include "server/loop_server.h"
#include "simulation/simulated_process.h"
#include "support/fake_channel.h"
#include "support/fake_machine.h"
#include "wire/codec.h"
#include "wire/envelope.h"
#include "wire/protocol/process.h"
#include "wire/protocol/session.h"

namespace outpost::testing {
namespace {

constexpr int seeds = 20;
constexpr int steps_of_a_seed = 5000;

struct Rules {
  bool hold;
  bool marks;
};

/// One session with one process, and its client over ever new connections.
class Simulation {
 public:
  Simulation(unsigned seed, Rules rules) : random_(seed), rules_(rules) {
    shared_.options.resume_probe = std::chrono::milliseconds(0);
    shared_.environment_info_json = R"({"shell":{"name":"sh","path":"/bin/sh"}})";
    server_ = std::make_unique<server::LoopServer>(loop_, server::Capabilities{host_, files_}, shared_, 0, 1);
  }
  ~Simulation() {
    server_->end_all();
    settle();
  }

  void run() {
    connect();
    for (int step = 0; step < steps_of_a_seed && !::testing::Test::HasFailure(); ++step) act();
    finish();
  }

 private:
  using FakeFiles = FakeFileSystem;

  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  void act() {
    switch (pick(16)) {
      case 0:
        if (pick(8) == 0) cut();
        break;
      case 1:
        loop_.run_ready();
        break;
      case 2:
        if (wire_) wire_->make_room(pick(3) == 0 ? 0 : 1000);
        break;
      case 3:
      case 4:
        if (wire_ && ready_) ask_for_more(1 + pick(2000));
        break;
      case 5:
        if (!old_.empty() && pick(4) == 0) {
          old_.front()->hang_up();
          old_.pop_front();
        }
        if (!wire_) connect();
        break;
      case 6:
        if (host_.starting()) process_ = host_.finish_start();
        break;
      case 7:
      case 8:
      case 9:
      case 10:
        if (process_) process_->print(1 + pick(pick(10) == 0 ? 3000 : 200));
        break;
      default:
        receive(1 + pick(6));
    }
    if (process_) ASSERT_LE(process_->log().retained_bytes(), SimulatedProcess::retain_bytes);
  }

  void connect() {
    wire_ = std::make_shared<FakeWire>();
    wire_->answers_pings = false;
    wire_->pings_in_line = true;
    ready_ = false;
    server_->accept(std::make_unique<FakeChannel>(wire_), "anonymous");
    const std::string resume = session_.empty() ? "" : R"(,"resumeSessionId":")" + session_ + "\"";
    wire_->say(R"({"id":0,"method":"initialize","params":{"clientName":"s","outpost":{"receipts":)" +
               std::string(rules_.marks ? "true" : "false") + "}" + resume + "}}");
  }

  /// The client loses its connection: what is on its way is lost. The server learns of it at once, or later.
  void cut() {
    if (!wire_) return;
    if (pick(2) == 0) {
      wire_->hang_up();
    } else {
      old_.push_back(wire_);
    }
    wire_ = nullptr;
    on_the_way_.clear();
    ready_ = false;
  }

  void receive(std::size_t messages) {
    if (!wire_) return;
    for (std::string& text : wire_->heard()) on_the_way_.push_back(std::move(text));
    for (; messages > 0 && wire_ && !on_the_way_.empty(); --messages) {
      const std::string text = std::move(on_the_way_.front());
      on_the_way_.pop_front();
      take(text);
    }
  }

  void take(const std::string& text) {
    if (text.starts_with("ping ")) return wire_->pong(text.substr(5));
    const wire::ParserScope scope(parser_);
    const auto message = parser_.parse(text);
    ASSERT_TRUE(message) << text;
    if (message->kind == wire::MessageKind::notification) return take_notification(*message);
    if (message->kind == wire::MessageKind::error) return take_error(*message);
    if (message->id.number() == 0) return take_session(*message);
    if (message->id.number() == 2) take_chunks(*message);
  }
  void take_session(const wire::Message& message) {
    const auto result = wire::decode<wire::InitializeResult>(message.result);
    ASSERT_TRUE(result);
    EXPECT_TRUE(session_.empty() || session_ == result->session_id);
    ready_ = true;
    wire_->say(R"({"method":"initialized"})");
    if (std::exchange(session_, result->session_id).empty()) {
      wire_->say(R"({"id":1,"method":"process/start","params":{"processId":"p","argv":["a"],"cwd":"file:///","env":{},)"
                 R"("tty":false,"outpost":{"onDetach":")" +
                 std::string(rules_.hold ? "hold" : "drain") + R"("}}})");
    } else {
      outage_end_ = process_ ? process_->log().state().next_seq - 1 : 0;
      ask_for_more(3000);
    }
  }
  void take_error(const wire::Message& message) {
    // The server doesn't know yet that the last connection is gone, or the start was cut off.
    if (message.id.number() != 0) return;
    EXPECT_EQ(message.error_code, -32010) << message.error_message;
    cut();
  }
  void take_notification(const wire::Message& message) {
    if (message.method == "outpost/session/mark") {
      const auto mark = wire::decode<wire::ReceiptMark>(message.params);
      ASSERT_TRUE(mark);
      wire_->say(R"({"method":"outpost/session/receipt","params":{"mark":)" + std::to_string(mark->mark.value) + "}}");
    } else if (message.method == "process/output") {
      const auto event = wire::decode<wire::OutputEvent>(message.params);
      ASSERT_TRUE(event);
      keep(event->seq, std::string(as_text(event->chunk.bytes.view())));
    }
  }
  void take_chunks(const wire::Message& message) {
    const auto result = wire::decode<wire::ReadResult>(message.result);
    ASSERT_TRUE(result);
    // A gap is told by the first number of an answer.
    if (!result->chunks.empty()) skip_to(result->chunks.front().seq, asked_after_);
    for (const wire::OutputChunk& chunk : result->chunks)
      keep(chunk.seq, std::string(as_text(chunk.chunk.bytes.view())));
  }

  void ask_for_more(std::size_t bytes) {
    if (asking_ == wire_) return;
    asking_ = wire_;
    asked_after_ = got_;
    wire_->say(R"({"id":2,"method":"process/read","params":{"processId":"p","afterSeq":)" + std::to_string(got_) +
               R"(,"maxBytes":)" + std::to_string(bytes) + "}}");
  }

  void skip_to(std::uint64_t seq, std::uint64_t after) {
    asking_ = nullptr;
    if (seq <= after + 1 || seq <= got_ + 1 || early_.contains(got_ + 1)) return;
    EXPECT_FALSE(rules_.hold) << "lost " << got_ + 1 << " to " << seq - 1;
    EXPECT_LE(seq - 1, outage_end_) << "lost while attached";
    got_ = seq - 1;
  }
  void keep(std::uint64_t seq, std::string bytes) {
    asking_ = nullptr;
    std::uint64_t position = process_->position_of(seq);
    for (const char byte : bytes) ASSERT_EQ(byte, byte_at(position++)) << "seq " << seq;
    if (seq > got_) early_.emplace(seq, std::move(bytes));
    while (!early_.empty() && early_.begin()->first <= got_ + 1) {
      if (early_.begin()->first == got_ + 1) {
        ++got_;
        got_bytes_ += early_.begin()->second.size();
      }
      early_.erase(early_.begin());
    }
  }

  void settle() {
    for (int i = 0; i < 10; ++i) {
      loop_.run_ready();
      for (const auto& wire : old_) wire->finish_close();
      if (wire_) {
        wire_->finish_close();
        wire_->pump();
      }
    }
  }

  /// Everything calms down, and the client catches up.
  void finish() {
    for (const auto& wire : std::exchange(old_, {})) wire->hang_up();
    for (int i = 0; i < 200 && !(process_ && ready_ && got_ == process_->log().state().next_seq - 1); ++i) {
      settle();
      if (host_.starting()) process_ = host_.finish_start();
      if (!wire_) connect();
      wire_->make_room(1'000'000);
      receive(1'000'000);
      if (!wire_ || !ready_ || !process_) continue;
      asking_ = nullptr;
      ask_for_more(100'000);
      settle();
      receive(1'000'000);
    }
    ASSERT_TRUE(process_);
    EXPECT_EQ(got_, process_->log().state().next_seq - 1) << "the client never got the rest";
    if (rules_.hold) EXPECT_EQ(got_bytes_, process_->printed());
    EXPECT_GT(process_->printed(), 5 * SimulatedProcess::retain_bytes) << "nothing happened";
  }

  std::mt19937 random_;
  Rules rules_;
  Loop loop_;
  SimulatedHost host_;
  FakeFiles files_;
  server::Shared shared_;
  std::unique_ptr<server::LoopServer> server_;
  wire::MessageParser parser_;

  // The client
  std::shared_ptr<FakeWire> wire_, asking_;
  std::deque<std::shared_ptr<FakeWire>> old_;  // whose end the server doesn't know of
  std::deque<std::string> on_the_way_;
  bool ready_ = false;
  std::string session_;
  std::shared_ptr<SimulatedProcess> process_;
  std::uint64_t got_ = 0, got_bytes_ = 0, asked_after_ = 0, outage_end_ = 0;
  std::map<std::uint64_t, std::string> early_;
};

void simulate(Rules rules) {
  for (unsigned seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation(seed, rules).run();
  }
}

TEST(SessionSimulation, HoldLosesNothingByPings) {
  simulate({.hold = true, .marks = false});
}
TEST(SessionSimulation, HoldLosesNothingByMarks) {
  simulate({.hold = true, .marks = true});
}
TEST(SessionSimulation, DrainLosesOnlyWhatAnOutagePushedOut) {
  simulate({.hold = false, .marks = false});
}

}  // namespace
}  // namespace outpost::testing
