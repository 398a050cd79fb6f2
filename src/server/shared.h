#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "capability/retained_budget.h"
#include "channel/channel.h"
#include "rpc/reply.h"
#include "server/options.h"
#include "server/receipt_ledger.h"
#include "telemetry/log.h"
#include "telemetry/recorder.h"
#include "wire/protocol/session.h"
#include "wire/request_id.h"

namespace outpost::server {

/// What the sessions of all loops have in common.
struct SharedCounts {
  std::atomic<std::size_t> sessions = 0;
  std::atomic<std::size_t> processes = 0;  ///< not closed
};

/// A connection between two loops, with the `initialize` that made it move.
struct MovedConnection {
  std::unique_ptr<channel::Dissolved> channel;
  std::string subject;
  ReceiptLedger pings;
  wire::InitializeParams params;
  wire::RequestId id;
  std::unique_ptr<rpc::RequestRecord> record;  ///< null: nothing is recorded
};

class LoopServer;
using ServerTask = std::move_only_function<void(LoopServer&)>;

/// What is the same for all loops. Constant while the server runs, but for the counts.
struct Shared {
  Options options;
  std::string environment_info_json;        ///< ready to be sent: it never changes
  telemetry::Recorder* recorder = nullptr;  ///< null: nothing is recorded
  telemetry::Log* log = nullptr;            ///< null: nothing is logged
  SharedCounts counts;
  capability::RetainedBudget* retained = nullptr;  ///< null: processes may retain any amount
  /// Gives a connection to the loop of that index, where `LoopServer::adopt` takes it; from any loop.
  std::function<void(std::size_t loop_index, MovedConnection moved)> hand_over;
  /// Posts a task to the loop of that index; from any loop.
  std::function<void(std::size_t loop_index, ServerTask task)> post_to;
};

}  // namespace outpost::server
