#include "transport/pending_connections.h"

#include <utility>

#include "transport/pending_connection.h"

namespace outpost::transport {

PendingConnections::PendingConnections(Loop& loop, channel::UpgradeCheck check, OnUpgraded on_upgraded,
                                       Settings settings)
    : loop_(loop), check_(std::move(check)), on_upgraded_(std::move(on_upgraded)), settings_(settings) {}

PendingConnections::~PendingConnections() = default;

void PendingConnections::admit(Arrival arrival) {
  while (!list_.empty() && list_.size() >= settings_.pending_max) list_.front()->make_room();
  list_.push_back(std::make_unique<PendingConnection>(*this, std::move(arrival)));
  list_.back()->start(std::prev(list_.end()));
}

void PendingConnections::drop(List::iterator place) {
  loop_.destroy_later(std::move(*place));
  list_.erase(place);
}

}  // namespace outpost::transport
