#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/run_until.h"
#include "os/io.h"
#include "os/socket.h"
#include "transport/websocket_listener.h"

namespace outpost::transport::test {

using outpost::testing::run_ready;
using outpost::testing::run_until;

/// A client socket that says and hears bytes.
class PlainClient {
 public:
  explicit PlainClient(std::uint16_t port) : socket_(*os::connect_tcp("127.0.0.1", port)) {}

  void say(std::string_view text) const { ASSERT_EQ(os::send_some(socket_.get(), as_bytes(text)).bytes, text.size()); }
  /// False if the other end is gone.
  bool try_say(std::string_view text) const {
    return os::send_some(socket_.get(), as_bytes(text)).status == os::IoCount::ok;
  }
  bool connected() const {
    // An attempt under way can't be sent on yet.
    return os::send_some(socket_.get(), {}).status != os::IoCount::would_block;
  }
  /// Takes what has come.
  void pump() {
    std::array<std::byte, 4096> buffer;
    while (!ended) {
      const auto count = os::receive_some(socket_.get(), buffer);
      if (count.status == os::IoCount::would_block) return;
      if (count.status != os::IoCount::ok) ended = true;
      heard += as_text(ByteView(buffer.data(), count.bytes));
    }
  }

  std::string heard;
  bool ended = false;

 private:
  os::FileDescriptor socket_;
};

/// A listener on a port of its own.
class ListenerTest : public ::testing::Test {
 protected:
  void listen(PendingConnections::Settings settings = {}, channel::UpgradeCheck check = {},
              WebsocketListener::Settings listener = {}) {
    os::FileDescriptor socket = std::move(*os::listen_tcp("127.0.0.1", 0));
    const std::string address = *os::local_address(socket.get());
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    pending_ = std::make_unique<PendingConnections>(
        loop_, std::move(check),
        [this](UpgradedConnection upgraded) {
          upgraded.stream->adopt(loop_);
          upgraded_.push_back(std::move(upgraded));
        },
        settings);
    listener_ = std::make_unique<WebsocketListener>(loop_, std::move(socket), *pending_, std::move(listener));
  }
  PlainClient& connect() {
    const std::size_t before = pending_->size();
    clients_.push_back(std::make_unique<PlainClient>(port_));
    EXPECT_TRUE(run_until(loop_, [&] { return pending_->size() > before || clients_.back()->connected(); }));
    return *clients_.back();
  }
  bool until_heard(PlainClient& client, const std::string& text) {
    return run_until(loop_, [&] {
      client.pump();
      return client.heard.find(text) != std::string::npos;
    });
  }
  bool until_ended(PlainClient& client) {
    return run_until(loop_, [&] {
      client.pump();
      return client.ended;
    });
  }

  static std::string upgrade_request() {
    return "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  }

  Loop loop_;
  std::uint16_t port_ = 0;
  std::vector<UpgradedConnection> upgraded_;
  std::unique_ptr<PendingConnections> pending_;
  std::unique_ptr<WebsocketListener> listener_;
  std::vector<std::unique_ptr<PlainClient>> clients_;
};

}  // namespace outpost::transport::test
