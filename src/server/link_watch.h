#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/loop.h"
#include "rpc/peer.h"
#include "server/delivery.h"
#include "telemetry/log.h"

namespace outpost::server {

/// Tells a dead connection from a silent one: it asks at every interval, and when somebody wants to know (extensions
/// 6). Belongs to the loop of its peer.
class LinkWatch {
 public:
  struct Settings {
    std::chrono::milliseconds ping_interval;  ///< 0: nothing is asked
    std::chrono::milliseconds probe_wait;
    telemetry::Log* log = nullptr;
  };
  /// True if anything came from the other end while it was waited for.
  using ProbeDone = std::move_only_function<void(bool alive)>;

  LinkWatch(Loop& loop, rpc::Peer& peer, Delivery& delivery, Settings settings);

  /// `on_dead` is told once that nothing has come for three intervals.
  void start(std::function<void(std::string reason)> on_dead);
  /// Asks, and calls `done` from the loop or from within another call: at the first byte, at the end of the connection,
  /// or when the time is up.
  void probe(ProbeDone done);
  void on_received() {
    if (!probes_.empty()) finish_probes(true);
  }
  /// The connection is over: nothing more is asked.
  void end();

 private:
  bool asks() const { return settings_.ping_interval.count() > 0; }
  void tick_later();
  void tick();
  void look_for_answers(bool something_came);
  void finish_probes(bool alive);

  rpc::Peer& peer_;
  Delivery& delivery_;
  const Settings settings_;
  std::function<void(std::string)> on_dead_;
  Timer tick_, probe_end_;
  std::vector<ProbeDone> probes_;
  std::uint64_t received_ = 0, received_at_probe_ = 0, pongs_ = 0;
  int silent_ = 0, unanswered_ = 0;  // intervals in a row
};

}  // namespace outpost::server
