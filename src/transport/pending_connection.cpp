#include "transport/pending_connection.h"

#include <array>
#include <utility>

#include "os/io.h"

namespace outpost::transport {

PendingConnection::PendingConnection(PendingConnections& all, PendingConnections::Arrival arrival)
    : all_(all),
      stream_(std::move(arrival.stream)),
      peer_(std::move(arrival.peer)),
      subject_(std::move(arrival.subject)),
      deadline_(all.loop_) {}

void PendingConnection::start(Place place) {
  place_ = place;
  const Result<> bound = stream_->bind([this] { on_readable(); }, [] {});
  if (!bound) return end(bound.error().message);
  // One for all its requests: who asks again and again would hold its place for ever.
  deadline_.start(all_.settings_.handshake_timeout, [this] { end("it took too long"); });
  stream_->wait_readable();
}

void PendingConnection::on_readable() {
  if (done_) return;
  std::array<std::byte, 4096> buffer;
  const os::IoCount count = stream_->read(buffer);
  if (count.status == os::IoCount::would_block) return stream_->wait_readable();
  if (count.status == os::IoCount::end) return end("the peer left");
  if (count.status != os::IoCount::ok) return end(os_error_text(count.error));
  take(as_text(ByteView(buffer.data(), count.bytes)));
  if (!done_) stream_->wait_readable();
}

void PendingConnection::take(std::string_view bytes) {
  // Several requests may come in one go; each is answered in turn.
  while (!bytes.empty() && !done_) {
    bytes.remove_prefix(head_.feed(bytes));
    if (head_.too_long()) {
      answer(head_too_long_answer(), AnswerForm{.keep_alive = false});
      return end("the head of its request is too long");
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
    end("it speaks no HTTP");
    return false;
  }
  auto decision = answer_http(*request, all_.check_, peer_);
  if (auto* accepted = std::get_if<Upgrade>(&decision)) {
    upgrade(std::move(*accepted), rest);
    return false;
  }
  const auto& refused = std::get<channel::HttpAnswer>(decision);
  log_refusal(refused);
  if (answer(refused, form_for(*request))) return true;
  end({});
  return false;
}

void PendingConnection::log_refusal(const channel::HttpAnswer& answer) const {
  if (answer.status < 400) return;
  const bool forbidden = answer.status == 401 || answer.status == 403;
  telemetry::log_event(all_.settings_.log, forbidden ? telemetry::LogLevel::warn : telemetry::LogLevel::debug,
                       "request refused",
                       {{"peer", peer_}, {"status", std::int64_t{answer.status}}, {"reason", answer.body}});
}

bool PendingConnection::answer(const channel::HttpAnswer& answer, const AnswerForm& form) {
  return send(format_answer(answer, form)) && form.keep_alive && !answer.close;
}

void PendingConnection::upgrade(Upgrade upgrade, std::string_view rest) {
  const auto date = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (!send(format_upgrade_answer(upgrade.accept_key, date))) return end("the peer takes no answer");
  stream_->leave_loop();
  all_.on_upgraded_({.stream = std::move(stream_),
                     .peer = peer_,
                     .subject = all_.check_ ? std::move(upgrade.subject) : std::move(subject_),
                     .early_input = std::string(rest)});
  end({});
}

bool PendingConnection::send(std::string_view text) {
  // An answer of a few hundred bytes finds room in an empty socket buffer; a peer that leaves none isn't worth a wait.
  const os::IoCount count = stream_->write(as_bytes(text));
  return count.status == os::IoCount::ok && count.bytes == text.size();
}

void PendingConnection::end(std::string_view reason) {
  if (std::exchange(done_, true)) return;
  if (!reason.empty()) {
    telemetry::log_event(all_.settings_.log, telemetry::LogLevel::debug, "connection ended before its upgrade",
                         {{"peer", peer_}, {"reason", reason}});
  }
  deadline_.cancel();
  if (stream_) stream_->shut_down();
  all_.drop(place_);
}

}  // namespace outpost::transport
