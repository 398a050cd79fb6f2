#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "telemetry/trace_context.h"

/// The seam at which the product tells what it does (observability 2 to 4). Nothing listens yet; without a recorder an
/// event costs one null check. Names are those of the contract, so that an exporter has nothing to translate.
namespace outpost::telemetry {

using Value = std::variant<std::string_view, std::int64_t, bool>;
struct Attribute {
  std::string_view key;
  Value value;
};
using Attributes = std::span<const Attribute>;

enum class SpanKind { internal, server, client };

struct SpanStart {
  std::string_view name;  ///< constant text of ours
  SpanKind kind = SpanKind::internal;
  const TraceContext* parent = nullptr;  ///< null: a new root
};

/// A span under way. It ends with `end` or, at the latest, with its destruction.
class Span {
 public:
  virtual ~Span() = default;
  /// Replaces the name that it was started with; `name` is constant text of ours.
  virtual void set_name(std::string_view name) = 0;
  virtual void set(std::string_view key, Value value) = 0;
  virtual void event(std::string_view name, Attributes attributes) = 0;
  /// What a request that goes out, or work that goes on, carries to be a child of this span.
  virtual const TraceContext& context() const = 0;
  virtual void end() = 0;
};

/// Metrics by their exported names; labels come beside (observability 3).
enum class Counter { connections, requests, processes_finished };
enum class Gauge { connections_active, processes_active };
enum class Histogram { request_duration, request_total_duration, request_queue_duration, process_duration };

struct Label {
  std::string_view key;
  std::string_view value;  ///< from a closed set, never text from the wire
};
using Labels = std::span<const Label>;

/// Takes what happens. Called on loops, from one thread at a time for each loop; must be safe for several loops at once
/// and must never block.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual std::unique_ptr<Span> start_span(const SpanStart& start) = 0;
  virtual void add(Counter counter, Labels labels, std::int64_t delta) = 0;
  virtual void add(Gauge gauge, Labels labels, std::int64_t delta) = 0;
  virtual void observe(Histogram histogram, Labels labels, double seconds) = 0;
};

}  // namespace outpost::telemetry
