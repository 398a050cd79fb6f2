#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// W3C Trace Context (https://www.w3.org/TR/trace-context/), as the `trace` member of requests carries it
/// (observability.md 1). Safe from any thread.
namespace outpost::telemetry {

using TraceId = std::array<std::byte, 16>;
using SpanId = std::array<std::byte, 8>;

/// One place in a trace: what a span's children, here or on another machine, need to know of it.
struct TraceContext {
  TraceId trace_id{};
  SpanId span_id{};
  bool sampled = false;
  std::string tracestate;  ///< as received, checked by `parse_trace_context`; empty: none

  bool operator==(const TraceContext&) const = default;
};

/// The context of the two texts, or nothing if `traceparent` isn't one: then the caller is as if it had sent none.
/// Version `ff`, upper-case digits and ids of zeros are refused; a version above `00` is read as `00`, whatever follows
/// its flags (W3C 4.3). A `tracestate` against the grammar of W3C 3.3, with a key twice, or with more than 32 members
/// is dropped alone.
std::optional<TraceContext> parse_trace_context(std::string_view traceparent, std::string_view tracestate);

/// `00-TRACE-SPAN-FLAGS` in lower case, 55 characters; of the flags only "sampled" is ever set (W3C 3.2).
std::string format_traceparent(const TraceContext& context);

/// New ids, never zero, from a generator of the calling thread that is seeded by the kernel. Not fit for secrets.
TraceId random_trace_id();
SpanId random_span_id();

}  // namespace outpost::telemetry
