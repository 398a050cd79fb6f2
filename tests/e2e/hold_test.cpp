// `onDetach: hold`: nothing of a long output is lost over many cuts, each at full socket buffers, and nothing comes
// twice.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

constexpr std::uint64_t first_line = 10'000'000;  // eight digits each
constexpr std::uint64_t line_bytes = 9;
constexpr std::uint64_t lines = 22'300'000;  // 200 MB
constexpr int cuts = 20;

/// Takes numbered lines in order, cut anywhere.
class LineCheck {
 public:
  void take(std::string_view bytes) {
    for (const char byte : bytes) {
      if (at_ == 0) expected_ = std::to_string(next_++) + "\n";
      if (byte != expected_[at_]) ++wrong_;
      at_ = (at_ + 1) % line_bytes;
      ++bytes_;
    }
  }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  std::string expected_;
  std::uint64_t next_ = first_line, bytes_ = 0, wrong_ = 0;
  std::size_t at_ = 0;
};

class Hold : public ::testing::Test {
 protected:
  void connect() {
    client = std::make_unique<testing::TestClient>(server.port());
    client->on_output = [this](const wire::OutputEvent& event) { take(event.seq, as_text(event.chunk.bytes.view())); };
    if (session.empty()) {
      session = client->handshake();
    } else {
      client->resume(session);
      catch_up();
    }
  }
  void catch_up() {
    wire::ReadParams params;
    params.process_id = "p";
    params.after_seq = got;
    const auto missed = client->call<wire::ReadResult>("process/read", params);
    ASSERT_TRUE(missed) << missed.error().message;
    exited = missed->exited;
    for (const auto& chunk : missed->chunks) take(chunk.seq, as_text(chunk.chunk.bytes.view()));
  }
  /// The exit has a number as well, and output may come behind it.
  void pass_exit() {
    if (passed_exit || early.empty() || early.begin()->first != got + 2) return;
    if (!exited && !client->followed("p").exit_code) return;
    passed_exit = true;
    ++got;
    take_early();
  }
  /// What was read is pushed behind it, or again; what is pushed may come before what is read.
  void take(std::uint64_t seq, std::string_view bytes) {
    if (seq <= got) return;
    early.emplace(seq, bytes);
    take_early();
  }
  void take_early() {
    while (!early.empty() && early.begin()->first <= got + 1) {
      if (early.begin()->first == got + 1) {
        ++got;
        check.take(early.begin()->second);
      }
      early.erase(early.begin());
    }
  }

  testing::TestServer server;
  std::unique_ptr<testing::TestClient> client;
  std::string session;
  std::uint64_t got = 0;
  std::map<std::uint64_t, std::string> early;
  bool exited = false, passed_exit = false;
  LineCheck check;
};

TEST_F(Hold, LosesNothingOfALongOutputOverManyCuts) {
  connect();
  testing::StartOptions options;
  options.outpost.on_detach = wire::OnDetach::hold;
  client->start("p", {"/usr/bin/seq", std::to_string(first_line), std::to_string(first_line + lines - 1)}, options);
  constexpr std::uint64_t all = lines * line_bytes;
  for (int cut = 1; cut <= cuts; ++cut) {
    const std::uint64_t part = all / (cuts + 1) * static_cast<unsigned>(cut);
    ASSERT_TRUE(client->wait_until([&] {
      pass_exit();
      return check.bytes() >= part;
    }));
    client->let_fill();
    client.reset();
    connect();
    ASSERT_FALSE(HasFailure());
  }
  ASSERT_TRUE(client->wait_until([&] {
    pass_exit();
    return check.bytes() >= all;
  }));
  EXPECT_EQ(check.bytes(), all);
  EXPECT_EQ(check.wrong(), 0u);
  EXPECT_TRUE(early.empty());
}

}  // namespace
}  // namespace outpost
