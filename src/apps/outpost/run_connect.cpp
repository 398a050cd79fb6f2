#include "apps/outpost/run_connect.h"

#include <utility>

#include "base/limits/clients.h"

namespace outpost::apps {

using Progress = transport::ConnectAttempt::Progress;

Connector::Connector(transport::LoopResources& resources, transport::WsUrl url, std::vector<std::string> addresses,
                     transport::ConnectDone done)
    : resources_(resources), url_(std::move(url)), addresses_(std::move(addresses)), done_(std::move(done)) {
  try_next();
}

void Connector::try_next() {
  attempt_ = transport::connect_websocket(
      resources_, addresses_[next_++], url_, limits::connect_timeout,
      [this](Result<std::unique_ptr<channel::Channel>> outcome) { take(std::move(outcome)); });
}

void Connector::take(Result<std::unique_ptr<channel::Channel>> outcome) {
  if (!outcome) {
    const Progress progress = attempt_->progress();
    if (next_ == 1 || progress > furthest_) {
      furthest_ = progress;
      error_ = outcome.error();
    }
    if (furthest_ != Progress::answered && next_ < addresses_.size()) return try_next();
    outcome = fail(error_);
  }
  // A local one: whoever is told may let go of us.
  transport::ConnectDone done = std::move(done_);
  done(std::move(outcome));
}

}  // namespace outpost::apps
