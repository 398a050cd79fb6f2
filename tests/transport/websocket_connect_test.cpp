#include "transport/websocket_connect.h"

#include <gmock/gmock.h>

#include "base/limits/messages.h"
#include "transport/channel_fixture.h"
#include "transport/listener_fixture.h"

namespace outpost::transport::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Progress = ConnectAttempt::Progress;
using Connected = Result<std::unique_ptr<channel::Channel>>;

class WebsocketConnectTest : public ListenerTest {
 protected:
  WsUrl url() const { return *parse_ws_url("ws://127.0.0.1:" + std::to_string(port_) + "/"); }
  Connected connect_to(const WsUrl& to, std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    std::optional<Connected> outcome;
    const auto attempt = connect_websocket(resources_, "127.0.0.1", to, timeout, [&](Connected given) {
      EXPECT_FALSE(outcome) << "done is called once";
      outcome = std::move(given);
    });
    EXPECT_FALSE(outcome) << "and never from within the call";
    if (!run_until(loop_, [&] { return outcome.has_value(); })) return fail(ErrorKind::internal, "never done");
    run_ready(loop_);
    progress_ = attempt->progress();
    return *std::move(outcome);
  }
  /// A server that reads a request, sends `answer`, and hangs up.
  void serve_plainly(const std::string& answer) {
    server_ = std::move(*os::listen_tcp("127.0.0.1", 0));
    const std::string address = *os::local_address(server_.get());
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    watch_ = std::make_unique<Watch>(loop_, server_.get(), [this, answer] {
      accepted_ = os::accept_some(server_.get()).socket;
      if (!answer.empty()) EXPECT_GT(os::send_some(accepted_.get(), as_bytes(answer)).bytes, 0u);
      if (!answer.empty()) accepted_.reset();
    });
    watch_->wait_readable();
  }

  LoopResources resources_{loop_};
  Progress progress_ = Progress::connecting;  // of the last attempt, at its end
  os::FileDescriptor server_, accepted_;
  std::unique_ptr<Watch> watch_;
};

TEST_F(WebsocketConnectTest, OpensAChannelThatMasks) {
  listen();
  Connected outcome = connect_to(url());
  ASSERT_TRUE(outcome) << outcome.error().message;
  channel::Channel& channel = **outcome;
  EXPECT_EQ(channel.kind(), channel::TransportKind::websocket);
  EXPECT_EQ(channel.peer(), "127.0.0.1:" + std::to_string(port_));
  ASSERT_EQ(upgraded_.size(), 1u);

  Recorder recorder;
  channel.start(recorder);
  FarEnd server(std::move(upgraded_[0].stream), Role::server);
  server.send(make_frame(Role::server, text_frame, "hello"));
  std::ranges::copy(std::string_view("answer"), channel.append(6).bytes.begin());
  ASSERT_TRUE(run_until(loop_, [&] {
    server.pump();
    return !server.events().empty() && !recorder.messages.empty();
  }));
  EXPECT_THAT(server.events(), ElementsAre("text answer"));
  EXPECT_THAT(recorder.messages, ElementsAre("hello"));
}

TEST_F(WebsocketConnectTest, ARefusedConnectionIsAnError) {
  listen();
  const WsUrl to = url();
  listener_.reset();
  run_ready(loop_);
  const Connected outcome = connect_to(to);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::io);
  EXPECT_THAT(outcome.error().message, HasSubstr("(os error 111)"));
  EXPECT_THAT(outcome.error().message, HasSubstr(to.authority));
  EXPECT_EQ(progress_, Progress::connecting);
}

TEST_F(WebsocketConnectTest, AnAddressThatIsNoneIsAnError) {
  listen();
  std::optional<Connected> outcome;
  const auto attempt = connect_websocket(resources_, "no-address", url(), std::chrono::seconds(60),
                                         [&](Connected given) { outcome = std::move(given); });
  EXPECT_FALSE(outcome);
  ASSERT_TRUE(run_until(loop_, [&] { return outcome.has_value(); }));
  EXPECT_FALSE(*outcome);
}

TEST_F(WebsocketConnectTest, AServerThatSpeaksHttpAloneIsRefused) {
  listen();
  WsUrl to = url();
  to.target = "/nowhere";
  const Connected outcome = connect_to(to);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::connection_lost);
  EXPECT_EQ(outcome.error().message, "HTTP error: 404 Not Found");
  EXPECT_EQ(progress_, Progress::answered);
}

TEST_F(WebsocketConnectTest, AServerThatSpeaksNoHttpIsRefused) {
  serve_plainly("SSH-2.0-OpenSSH\r\n\r\n");
  EXPECT_EQ(connect_to(url()).error().kind, ErrorKind::connection_lost);
}

TEST_F(WebsocketConnectTest, AWrongAcceptKeyIsRefused) {
  serve_plainly(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "
      "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
  EXPECT_EQ(connect_to(url()).error().message, "wrong Sec-WebSocket-Accept");
}

TEST_F(WebsocketConnectTest, AnEndlessHeadIsRefused) {
  serve_plainly("HTTP/1.1 200 OK\r\nX: " + std::string(limits::http_head_bytes_max, 'x'));
  EXPECT_EQ(connect_to(url()).error().kind, ErrorKind::connection_lost);
}

TEST_F(WebsocketConnectTest, ASilentServerMeetsTheTimeLimit) {
  serve_plainly("");
  const Connected outcome = connect_to(url(), std::chrono::milliseconds(20));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::timeout);
  EXPECT_EQ(progress_, Progress::connected);
}

TEST_F(WebsocketConnectTest, AUrlThatWouldChangeTheRequestIsRefused) {
  listen();
  WsUrl to = url();
  to.target = "/\r\nEvil: yes";
  EXPECT_EQ(connect_to(to).error().kind, ErrorKind::invalid_input);
  EXPECT_TRUE(upgraded_.empty());
}

TEST_F(WebsocketConnectTest, AnAttemptThatIsGivenUpIsNotTold) {
  listen();
  // What `done` holds goes with the attempt: a loop that ends before it leaves nothing behind.
  const auto held = std::make_shared<int>();
  auto attempt = connect_websocket(resources_, "127.0.0.1", url(), std::chrono::seconds(60),
                                   [held](const Connected&) { ADD_FAILURE() << "done was called"; });
  EXPECT_EQ(held.use_count(), 2);
  attempt.reset();
  EXPECT_EQ(held.use_count(), 1);
  attempt = connect_websocket(resources_, "no-address", url(), std::chrono::seconds(60),
                              [held](const Connected&) { ADD_FAILURE() << "done was called"; });
  attempt.reset();
  run_ready(loop_);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(WebsocketConnectTest, AnAttemptMayGoFromWithinItsEnd) {
  listen();
  WsUrl to = url();
  to.target = "/nowhere";
  std::unique_ptr<ConnectAttempt> attempt;
  bool told = false;
  attempt = connect_websocket(resources_, "127.0.0.1", to, std::chrono::seconds(60), [&](const Connected&) {
    told = true;
    attempt.reset();
  });
  ASSERT_TRUE(run_until(loop_, [&] { return told; }));
  run_ready(loop_);
}

}  // namespace
}  // namespace outpost::transport::test
