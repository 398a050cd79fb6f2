#include "server/link_watch.h"

#include <utility>

#include "base/limits/connections.h"

namespace outpost::server {

LinkWatch::LinkWatch(Loop& loop, rpc::Peer& peer, Delivery& delivery, Settings settings)
    : peer_(peer), delivery_(delivery), settings_(settings), tick_(loop), probe_end_(loop) {}

void LinkWatch::start(std::function<void(std::string)> on_dead) {
  on_dead_ = std::move(on_dead);
  received_ = peer_.received_bytes();
  tick_later();
}

void LinkWatch::tick_later() {
  // Without pings of ours those of receipts must be answered all the same.
  tick_.start(asks() ? settings_.ping_interval : std::chrono::milliseconds(limits::ping_interval), [this] { tick(); });
}

void LinkWatch::tick() {
  const std::uint64_t received = peer_.received_bytes();
  const bool something_came = std::exchange(received_, received) != received;
  // What isn't read holds back what is behind it, a pong too: then it is this end that doesn't listen.
  silent_ = something_came || peer_.has_unread() ? 0 : silent_ + 1;
  if (asks() && silent_ >= limits::silent_intervals_max && delivery_.unanswered()) {
    return on_dead_("nothing came from the peer for three ping intervals");
  }
  look_for_answers(something_came);
  if (asks()) delivery_.say_something();
  tick_later();
}

void LinkWatch::look_for_answers(bool something_came) {
  const bool answered = std::exchange(pongs_, delivery_.pongs()) != delivery_.pongs();
  if (delivery_.mode() != ReceiptMode::ping || answered || !delivery_.unanswered() || !peer_.all_taken()) {
    unanswered_ = 0;
    return;
  }
  if (something_came) ++unanswered_;
  if (unanswered_ < limits::silent_intervals_max) return;
  telemetry::log_event(settings_.log, telemetry::LogLevel::warn,
                       "pings are not answered; what the other system acknowledges counts as received",
                       {{"peer", peer_.address()}});
  delivery_.trust_socket();
  delivery_.want_proof(1);
}

void LinkWatch::probe(ProbeDone done) {
  probes_.push_back(std::move(done));
  if (probes_.size() > 1) return;
  received_at_probe_ = peer_.received_bytes();
  if (!delivery_.say_something() && !delivery_.unanswered()) return finish_probes(true);  // it can't be asked
  // What came and isn't read, as reading waits for something else, is a sign of life as well.
  probe_end_.start(settings_.probe_wait, [this] { finish_probes(peer_.received_bytes() != received_at_probe_); });
}

void LinkWatch::finish_probes(bool alive) {
  probe_end_.cancel();
  for (ProbeDone& done : std::exchange(probes_, {})) done(alive);
}

void LinkWatch::end() {
  tick_.cancel();
  finish_probes(false);
}

}  // namespace outpost::server
