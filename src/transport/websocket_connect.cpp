#include "transport/websocket_connect.h"

#include <array>
#include <utility>

#include "base/base64.h"
#include "base/uuid.h"
#include "base/watch.h"
#include "os/io.h"
#include "os/socket.h"
#include "transport/http_head.h"
#include "transport/socket_stream.h"
#include "transport/upgrade.h"
#include "transport/websocket_channel.h"

namespace outpost::transport {

namespace {

std::string random_key() {
  std::array<std::byte, 16> key;
  fill_random(key);
  return base64::encode(key);
}

using Progress = ConnectAttempt::Progress;

/// Shared between its owner and a callback under way, in which the owner may let go of it; the callbacks themselves
/// don't keep it, since they belong to it.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(LoopResources& resources, WsUrl url, ConnectDone done)
      : resources_(resources), url_(std::move(url)), done_(std::move(done)), deadline_(resources.loop) {}

  void start(const std::string& address, std::chrono::milliseconds timeout) {
    auto socket = os::connect_tcp(address, url_.port);
    // `done` never runs from within the call.
    if (!socket) return finish_later(cannot_connect(socket.error().message));
    socket_ = *std::move(socket);
    auto watch = Watch::create(resources_.loop, socket_.get(), [this] { on_readable(); }, [this] { on_connected(); });
    if (!watch) return finish_later(fail(std::move(watch).error()));
    watch_ = *std::move(watch);
    deadline_.start(timeout,
                    [this] { finish(fail(ErrorKind::timeout, "no websocket at " + url_.authority + " in time")); });
    watch_->wait_writable();
  }
  void give_up() {
    done_ = nullptr;
    deadline_.cancel();
    watch_.reset();
    socket_.reset();
  }
  Progress progress() const { return progress_; }

 private:
  void on_connected() {
    if (const int error = os::connect_error(socket_.get()); error != 0) {
      return finish(cannot_connect(os_error_text(error)));
    }
    progress_ = Progress::connected;
    os::set_tcp_nodelay(socket_.get());
    key_ = random_key();
    const auto request = format_upgrade_request(url_.authority, url_.target, key_, {});
    if (!request) return finish(fail(request.error()));
    // An empty socket buffer takes a request of this size whole.
    if (os::send_some(socket_.get(), as_bytes(*request)).bytes != request->size()) return finish(lost());
    watch_->wait_readable();
  }

  void on_readable() {
    std::array<std::byte, 4096> buffer;
    const os::IoCount count = os::receive_some(socket_.get(), buffer);
    if (count.status == os::IoCount::would_block) return watch_->wait_readable();
    if (count.status != os::IoCount::ok) return finish(lost());
    progress_ = Progress::answered;
    std::string_view bytes = as_text(ByteView(buffer.data(), count.bytes));
    bytes.remove_prefix(head_.feed(bytes));
    if (head_.complete()) return on_head(std::string(bytes));
    if (head_.too_long()) return finish(lost());
    watch_->wait_readable();
  }

  void on_head(std::string rest) {
    const auto response = parse_response_head(head_.text());
    if (!response) return finish(fail(response.error()));
    if (const auto checked = check_upgrade_answer(*response, key_); !checked) return finish(fail(checked.error()));
    watch_.reset();
    auto stream = std::make_unique<SocketStream>(resources_.loop, std::move(socket_));
    WebsocketChannel::Settings settings;
    settings.role = Role::client;
    settings.peer = url_.authority;
    settings.early_input = std::move(rest);
    finish(std::make_unique<WebsocketChannel>(resources_, std::move(stream), std::move(settings)));
  }

  std::unexpected<Error> cannot_connect(const std::string& why) const {
    return fail(ErrorKind::io, "cannot connect to " + url_.authority + ": " + why);
  }
  std::unexpected<Error> lost() const {
    return fail(ErrorKind::connection_lost, url_.authority + " closed the connection during the websocket handshake");
  }

  void finish_later(std::unexpected<Error> failed) {
    resources_.loop.post([attempt = weak_from_this(), failed = std::move(failed)] {
      if (const auto self = attempt.lock()) self->finish(failed);
    });
  }

  void finish(Result<std::unique_ptr<channel::Channel>> outcome) {
    if (!done_) return;
    const auto keep = shared_from_this();
    deadline_.cancel();
    watch_.reset();
    std::exchange(done_, nullptr)(std::move(outcome));
  }

  LoopResources& resources_;
  WsUrl url_;
  ConnectDone done_;
  Timer deadline_;
  os::FileDescriptor socket_;
  std::unique_ptr<Watch> watch_;
  HeadCollector head_;
  std::string key_;
  Progress progress_ = Progress::connecting;
};

class OwnedAttempt final : public ConnectAttempt {
 public:
  explicit OwnedAttempt(std::shared_ptr<Attempt> attempt) : attempt_(std::move(attempt)) {}
  OwnedAttempt(const OwnedAttempt&) = delete;
  OwnedAttempt& operator=(const OwnedAttempt&) = delete;
  ~OwnedAttempt() override { attempt_->give_up(); }
  Progress progress() const override { return attempt_->progress(); }

 private:
  std::shared_ptr<Attempt> attempt_;
};

}  // namespace

std::unique_ptr<ConnectAttempt> connect_websocket(LoopResources& resources, const std::string& address,
                                                  const WsUrl& url, std::chrono::milliseconds timeout,
                                                  ConnectDone done) {
  auto attempt = std::make_shared<Attempt>(resources, url, std::move(done));
  attempt->start(address, timeout);
  return std::make_unique<OwnedAttempt>(std::move(attempt));
}

}  // namespace outpost::transport
