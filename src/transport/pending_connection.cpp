#include "transport/pending_connection.h"

#include <array>
#include <utility>

#include "os/io.h"

namespace outpost::transport {

PendingConnection::PendingConnection(WebsocketListener& listener, os::FileDescriptor socket, std::string peer)
    : listener_(listener), socket_(std::move(socket)), peer_(std::move(peer)), deadline_(listener.loop_) {}

void PendingConnection::start(Place place) {
  place_ = place;
  auto watch = Watch::create(listener_.loop_, socket_.get(), [this] { on_readable(); });
  if (!watch) return end();
  watch_ = *std::move(watch);
  // One for all its requests: who asks again and again would hold its place for ever.
  deadline_.start(listener_.settings_.handshake_timeout, [this] { end(); });
  watch_->wait_readable();
}

void PendingConnection::on_readable() {
  std::array<std::byte, 4096> buffer;
  const os::IoCount count = os::receive_some(socket_.get(), buffer);
  if (count.status == os::IoCount::would_block) return watch_->wait_readable();
  if (count.status != os::IoCount::ok) return end();
  take(as_text(ByteView(buffer.data(), count.bytes)));
  if (!done_) watch_->wait_readable();
}

void PendingConnection::take(std::string_view bytes) {
  // Several requests may come in one go; each is answered in turn.
  while (!bytes.empty() && !done_) {
    bytes.remove_prefix(head_.feed(bytes));
    if (head_.too_long()) {
      answer(head_too_long_answer(), AnswerForm{.keep_alive = false});
      return end();
    }
    if (!head_.complete()) return;
    if (!handle_head(bytes)) return;
    head_.clear();
  }
}

bool PendingConnection::handle_head(std::string_view rest) {
  const auto request = parse_request_head(head_.text());
  if (!request) {
    answer(request.error(), AnswerForm{.keep_alive = false});
    end();
    return false;
  }
  auto decision = answer_http(*request, listener_.check_, peer_);
  if (auto* accepted = std::get_if<Upgrade>(&decision)) return upgrade(std::move(*accepted), rest);
  if (answer(std::get<channel::HttpAnswer>(decision), form_for(*request))) return true;
  end();
  return false;
}

bool PendingConnection::answer(const channel::HttpAnswer& answer, const AnswerForm& form) {
  return send(format_answer(answer, form)) && form.keep_alive && !answer.close;
}

bool PendingConnection::upgrade(Upgrade upgrade, std::string_view rest) {
  const auto date = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (send(format_upgrade_answer(upgrade.accept_key, date))) {
    watch_.reset();
    listener_.on_upgraded_({.socket = std::move(socket_),
                            .peer = peer_,
                            .subject = std::move(upgrade.subject),
                            .early_input = std::string(rest)});
  }
  end();
  return false;
}

bool PendingConnection::send(std::string_view text) {
  // An answer of a few hundred bytes finds room in an empty socket buffer; a peer that leaves none isn't worth a wait.
  const os::IoCount count = os::send_some(socket_.get(), as_bytes(text));
  return count.status == os::IoCount::ok && count.bytes == text.size();
}

void PendingConnection::end() {
  if (std::exchange(done_, true)) return;
  deadline_.cancel();
  listener_.drop(place_);
}

}  // namespace outpost::transport
