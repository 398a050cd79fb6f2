#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits/connections.h"
#include "os/io.h"
#include "os/run_program.h"
#include "os/socket.h"
#include "transport/frame_encoder.h"
#include "wire/answers.h"
#include "wire/codec.h"
#include "wire/envelope.h"
#include "wire/error_codes.h"
#include "wire/protocol/process.h"
#include "wire/protocol/session.h"

namespace outpost::testing {

/// A TCP connection used blockingly; waits have a bound that only a failing test meets.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port, const std::string& host = "127.0.0.1") : fd_(*os::connect_tcp(host, port)) {
    EXPECT_TRUE(poll_for(POLLOUT));
    EXPECT_EQ(os::connect_error(fd_.get()), 0);
  }
  void send(std::string_view bytes) {
    while (!bytes.empty() && poll_for(POLLOUT)) {
      const os::IoCount sent = os::send_some(fd_.get(), as_bytes(bytes));
      if (sent.status == os::IoCount::would_block) continue;
      if (sent.status != os::IoCount::ok) return;
      bytes.remove_prefix(sent.bytes);
    }
  }
  /// As `send`, but gives up where the other side takes nothing for a second; whether all went.
  bool try_send(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd entry{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
      if (::poll(&entry, 1, 1000) != 1) return false;
      const os::IoCount sent = os::send_some(fd_.get(), as_bytes(bytes));
      if (sent.status == os::IoCount::ok) bytes.remove_prefix(sent.bytes);
    }
    return true;
  }
  /// What has come, at least one byte; empty at the end.
  std::span<char> receive() {
    if (buffer_.empty()) buffer_.resize(limits::receive_bytes);
    while (poll_for(POLLIN)) {
      const os::IoCount got = os::receive_some(fd_.get(), std::as_writable_bytes(std::span(buffer_)));
      if (got.status == os::IoCount::would_block) continue;
      return {buffer_.data(), got.bytes};
    }
    ADD_FAILURE() << "nothing came";
    return {};
  }
  /// Everything up to and with `end`, byte by byte so that nothing behind it is taken; or what came until the end.
  std::string receive_until(std::string_view end) {
    std::string text;
    std::byte next{};
    while (!text.ends_with(end) && poll_for(POLLIN)) {
      if (os::receive_some(fd_.get(), {&next, 1}).status != os::IoCount::ok) break;
      text += static_cast<char>(next);
    }
    return text;
  }
  void close() { fd_.reset(); }
  /// Reads nothing until nothing more comes in: then the buffers on the way are full, or the other side has no more.
  void let_fill() {
    std::size_t before = 0, now = 0;
    do {
      before = now;
      ::poll(nullptr, 0, 50);
      now = os::pipe_bytes_available(fd_.get());
    } while (now != before);
  }

 private:
  bool poll_for(short events) {
    pollfd entry{.fd = fd_.get(), .events = events, .revents = 0};
    return ::poll(&entry, 1, 60'000) == 1;
  }
  os::FileDescriptor fd_;
  std::vector<char> buffer_;
};

inline std::string upgrade_request(const std::string& headers = "") {
  return "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
         "13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         headers + "\r\n";
}

/// What is known of one process by its notifications.
struct Followed {
  std::string out, err, pty;
  std::vector<std::string> events;  ///< `output stdout`, `exited 3`, `closed`
  std::uint64_t seq = 0;            ///< of the last event; they come without a gap
  std::optional<int> exit_code;
  bool closed = false;
};

struct StartOptions {
  std::map<std::string, std::string> env = {{"PATH", "/usr/bin:/bin"}};
  std::string cwd = "file:///";
  bool pipe_stdin = false;
  bool tty = false;
  wire::StartExtension outpost = {};
};

/// A client of the protocol as a test wants it: it speaks over a plain socket, waits for what it asks, and puts the
/// notifications of each process together while it does.
class TestClient : private transport::FrameSink {
 public:
  /// `headers`: lines of the upgrade request, each with its end.
  explicit TestClient(std::uint16_t port, const std::string& headers = "", const std::string& host = "127.0.0.1")
      : socket_(port, host), decoder_(transport::Role::client) {
    socket_.send(upgrade_request(headers));
    const std::string head = socket_.receive_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  }
  static wire::InitializeParams initialize_params() {
    wire::InitializeParams params;
    params.client_name = "test";
    return params;
  }
  /// Gives the id of the session.
  std::string handshake() {
    const auto result = call<wire::InitializeResult>("initialize", initialize_params());
    say_initialized();
    return result ? result->session_id : "";
  }
  /// Takes up a session, once the server has noticed the end of its old connection. Of its processes what comes from
  /// now on is followed.
  void resume(const std::string& session) {
    resumed_ = true;
    wire::InitializeParams params = initialize_params();
    params.resume_session_id = session;
    auto result = call<wire::InitializeResult>("initialize", params);
    while (!result && result.error().kind == ErrorKind::session_attached) {
      result = call<wire::InitializeResult>("initialize", params);
    }
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->session_id, session);
    say_initialized();
  }

  void send(std::string_view text) { socket_.send(framed(text)); }
  /// See `RawSocket::try_send`.
  bool try_send(std::string_view text) { return socket_.try_send(framed(text)); }
  static std::string framed(std::string_view text) {
    std::string frame(transport::frame_header_size(transport::Role::client, text.size()), '\0');
    transport::write_frame_header(frame.data(), transport::Role::client, transport::Opcode::text, text.size(), 0);
    frame += text;  // a key of 0 masks nothing
    return frame;
  }
  /// Sends a request; its id.
  template <class Params>
  std::int64_t request(std::string_view method, const Params& params) {
    const std::int64_t id = next_id_++;
    std::string text;
    wire::append_request(text, wire::RequestId(id), method, params);
    send(text);
    return id;
  }
  /// The whole answer to a request, waited for; empty when the connection has ended.
  std::string answer(std::int64_t id) {
    wait_until([&] { return answers_.contains(id); });
    return answers_[id];
  }
  /// The answer has come already.
  bool answered(std::int64_t id) const { return answers_.contains(id); }
  template <class T, class Params>
  Result<T> call(std::string_view method, const Params& params) {
    const std::string text = answer(request(method, params));
    const auto message = parser_.parse(text);
    if (!message) return fail(ErrorKind::connection_lost, "no answer: " + text);
    if (message->kind == wire::MessageKind::response) return wire::decode<T>(message->result);
    return fail(wire::error_from_wire(message->error_code, message->error_message, message->error_data));
  }

  /// The whole answer to a request whose params are JSON already.
  std::string ask(const std::string& method, const std::string& params) {
    const std::int64_t id = next_id_++;
    send(R"({"id":)" + std::to_string(id) + R"(,"method":")" + method + R"(","params":)" + params + "}");
    return answer(id);
  }

  wire::StartParams start_params(const std::string& id, std::vector<std::string> argv, StartOptions options = {}) {
    wire::StartParams params;
    params.process_id = id;
    params.argv = std::move(argv);
    params.cwd.text = options.cwd;
    params.env = std::move(options.env);
    params.pipe_stdin = options.pipe_stdin;
    params.tty = options.tty;
    params.outpost = {.given = true, .members = options.outpost};
    return params;
  }
  /// Starts a process, which has to succeed.
  void start(const std::string& id, std::vector<std::string> argv, StartOptions options = {}) {
    const auto started =
        call<wire::StartResult>("process/start", start_params(id, std::move(argv), std::move(options)));
    EXPECT_TRUE(started) << id << ": " << (started ? "" : started.error().message);
  }
  /// Starts `script` in a shell.
  void shell(const std::string& id, const std::string& script, StartOptions options = {}) {
    start(id, {"/bin/bash", "-c", script}, std::move(options));
  }
  Followed& followed(const std::string& id) { return followed_[id]; }
  /// Waits for the close of a process and gives all that is known of it.
  Followed& wait_closed(const std::string& id) {
    EXPECT_TRUE(wait_until([&] { return followed_[id].closed; })) << id;
    return followed_[id];
  }
  Followed& run_shell(const std::string& id, const std::string& script, StartOptions options = {}) {
    shell(id, script, std::move(options));
    return wait_closed(id);
  }
  wire::WriteStatus write(const std::string& id, std::string_view text, const std::string& write_id) {
    wire::WriteParams params;
    params.process_id = id;
    params.chunk.bytes = Bytes::copy_of(as_bytes(text));
    params.write_id = write_id;
    const auto written = call<wire::WriteResult>("process/write", params);
    EXPECT_TRUE(written) << (written ? "" : written.error().message);
    return written ? written->status : wire::WriteStatus::starting;
  }

  /// Reads until `happened`; false if the connection ended before.
  bool wait_until(const std::function<bool()>& happened) {
    while (!happened()) {
      if (ended_) return false;
      read_some();
    }
    return true;
  }
  /// Reads until the server ends the connection.
  void wait_end() {
    while (!ended_) read_some();
  }
  bool ended() const { return ended_; }
  /// See `RawSocket::let_fill`.
  void let_fill() { socket_.let_fill(); }
  int pings = 0;
  bool answers_pings = true;
  void close() { socket_.close(); }
  /// Told of output instead of `Followed`, where there is too much to keep.
  std::function<void(const wire::OutputEvent&)> on_output;

 private:
  void read_some() {
    const std::span<char> bytes = socket_.receive();
    if (bytes.empty()) {
      ended_ = true;
      return;
    }
    EXPECT_EQ(decoder_.feed(bytes, *this), bytes.size());
  }
  bool on_message(std::string_view payload, bool binary) override {
    EXPECT_FALSE(binary);
    const auto message = parser_.parse(payload);
    if (!message) {
      ADD_FAILURE() << payload.substr(0, 200);
    } else if (message->kind == wire::MessageKind::notification) {
      take_event(message->method, message->params);
    } else {
      EXPECT_TRUE(message->id.is_number()) << payload;
      EXPECT_TRUE(answers_.emplace(message->id.number(), payload).second) << "answered twice: " << payload;
    }
    return true;
  }
  void on_oversize(std::uint64_t bytes) override { ADD_FAILURE() << bytes; }
  void on_ping(std::string_view payload) override {
    ++pings;
    // A key of 0 masks nothing.
    if (answers_pings)
      socket_.try_send(transport::control_frame(transport::Role::client, transport::Opcode::pong, payload, 0));
  }
  void on_pong(std::string_view) override {}
  void on_close(std::uint16_t, std::string_view) override { ended_ = true; }

  void take_event(std::string_view method, wire::JsonView params) {
    if (method == "process/output") {
      const auto event = wire::decode<wire::OutputEvent>(params);
      ASSERT_TRUE(event);
      take_output(*event);
    } else if (method == "process/exited") {
      const auto event = wire::decode<wire::ExitedEvent>(params);
      ASSERT_TRUE(event);
      Followed& process = next_of(event->process_id, event->seq);
      process.exit_code = event->exit_code;
      process.events.push_back("exited " + std::to_string(event->exit_code));
    } else {
      EXPECT_EQ(method, "process/closed");
      const auto event = wire::decode<wire::ClosedEvent>(params);
      ASSERT_TRUE(event);
      Followed& process = next_of(event->process_id, event->seq);
      process.closed = true;
      process.events.emplace_back("closed");
    }
  }
  void take_output(const wire::OutputEvent& event) {
    Followed& process = next_of(event.process_id, event.seq);
    if (on_output) return on_output(event);
    const bool out = event.stream == wire::OutputStream::stdout, err = event.stream == wire::OutputStream::stderr;
    (out ? process.out : err ? process.err : process.pty) += as_text(event.chunk.bytes.view());
    process.events.emplace_back(out ? "output stdout" : err ? "output stderr" : "output pty");
  }
  void say_initialized() {
    std::string text;
    wire::append_notification(text, "initialized", wire::EmptyObject{});
    send(text);
  }
  Followed& next_of(const std::string& id, std::uint64_t seq) {
    Followed& process = followed_[id];
    if (resumed_ && process.seq == 0) process.seq = seq - 1;
    EXPECT_FALSE(process.closed) << id << ": an event behind the close";
    EXPECT_EQ(seq, ++process.seq) << id;
    return process;
  }

  RawSocket socket_;
  transport::FrameDecoder decoder_;
  wire::MessageParser parser_;
  std::int64_t next_id_ = 1;
  std::map<std::int64_t, std::string> answers_;
  std::map<std::string, Followed> followed_;
  bool ended_ = false, resumed_ = false;
};

}  // namespace outpost::testing
